// The CPU time that a process has used, as the kernel counts it.
#ifndef HS_TOOLS_BENCH_PROCESS_CPU_H_
#define HS_TOOLS_BENCH_PROCESS_CPU_H_

#include <sys/types.h>

namespace hs::bench {

// Seconds in user and kernel mode of all threads, including those that have ended. Throws Failure
// if there is no such process.
double process_cpu_seconds(pid_t pid);

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_PROCESS_CPU_H_
