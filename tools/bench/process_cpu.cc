#include "process_cpu.h"

#include <ctime>
#include <string>

#include "target.h"

namespace hs::bench {

// Uses the process's clock, which counts nanoseconds; /proc counts hundredths of a second.
double process_cpu_seconds(pid_t pid) {
  clockid_t clock = 0;
  timespec time{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0) {
    throw Failure("there is no process " + std::to_string(pid));
  }
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

}  // namespace hs::bench
