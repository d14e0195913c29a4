// The load generator, `hs bench`.
#ifndef HS_TOOLS_BENCH_BENCH_H_
#define HS_TOOLS_BENCH_BENCH_H_

namespace hs::bench {

// Its command line, whose first word is "bench". Returns the exit status: 0 all answers were right, 1
// some were wrong or the run failed, 2 wrong usage.
int bench(int argc, char** argv);

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_BENCH_H_
