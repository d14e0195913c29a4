// How long things took: a histogram that one thread counts up and any thread may read.
//
// Its steps are a sixteenth of a power of two, so a time is known to 6 % or better. Times from 1 µs
// to an hour have their own steps; what is outside counts in the first or the last one.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/counter.h"
#include "base/log_steps.h"

namespace hs {

struct LatencySteps {
  // From 64 ns on, 16 steps for each doubling.
  using Steps = LogSteps<6, 4, 32>;
  static constexpr size_t kSteps = Steps::kSteps;

  // The step that counts a time. Negative times count as 0.
  static constexpr size_t step_of(int64_t ns) {
    return ns < 0 ? 0 : Steps::step_of(static_cast<uint64_t>(ns));
  }
  // All times of the step are less than this, in ns.
  static constexpr uint64_t end_of(size_t step) { return Steps::last_of(step) + 1; }
};

class Latency {
 public:
  // On the thread that counts: `times` things took so long.
  void record(int64_t ns, uint64_t times) {
    counts_[LatencySteps::step_of(ns)].add(times);
    if (ns > longest_.load(std::memory_order_relaxed)) {
      longest_.store(ns, std::memory_order_relaxed);
    }
  }

 private:
  friend class LatencySum;
  std::array<Counter, LatencySteps::kSteps> counts_;
  std::atomic<int64_t> longest_{0};
};

// Several histograms added up.
class LatencySum {
 public:
  void add(const Latency& latency);

  uint64_t count() const { return count_; }
  uint64_t count_at(size_t step) const { return counts_[step]; }
  uint64_t longest_ns() const { return longest_ns_; }
  // The time, in ns, that `thousandths` of all did not exceed: the end of a step, or the longest
  // time if that is less. 0 when there are none.
  uint64_t quantile_ns(unsigned thousandths) const;

 private:
  std::array<uint64_t, LatencySteps::kSteps> counts_{};
  uint64_t count_ = 0;
  uint64_t longest_ns_ = 0;
};

}  // namespace hs
