// When requests are due that come at a fixed rate, whatever the server does (an open loop).
#ifndef HS_TOOLS_BENCH_SCHEDULE_H_
#define HS_TOOLS_BENCH_SCHEDULE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "target.h"

namespace hs::bench {

// A request that is sent late has waited in line, and its latency counts from when it was due. So a
// server that stalls also pays for the requests that would have come meanwhile.
class Schedule {
 public:
  // `rate`: requests per second, above 0.
  Schedule(Clock::time_point start, double rate) : start_(start), nanoseconds_(1e9 / rate) {}

  // When the n-th request is due, counted from 0.
  Clock::time_point at(uint64_t n) const {
    const double after = std::min(static_cast<double>(n) * nanoseconds_, kForever);
    return start_ + std::chrono::nanoseconds(static_cast<int64_t>(after));
  }

  // How many requests a phase with a rate has.
  static uint64_t requests(const Phase& phase) {
    if (phase.requests > 0) return phase.requests;
    return static_cast<uint64_t>(std::ceil(phase.seconds * phase.rate));
  }

 private:
  static constexpr double kForever = 1e18;  // thirty years

  Clock::time_point start_;
  double nanoseconds_;
};

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_SCHEDULE_H_
