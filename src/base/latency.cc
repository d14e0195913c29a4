#include "base/latency.h"

#include <algorithm>

namespace hs {

void LatencySum::add(const Latency& latency) {
  for (size_t step = 0; step < counts_.size(); ++step) {
    const uint64_t count = latency.counts_[step].get();
    counts_[step] += count;
    count_ += count;
  }
  const int64_t longest = latency.longest_.load(std::memory_order_relaxed);
  longest_ns_ = std::max(longest_ns_, static_cast<uint64_t>(longest));
}

uint64_t LatencySum::quantile_ns(unsigned thousandths) const {
  // Rounded up, without an overflow at any count.
  const uint64_t wanted = count_ / 1000 * thousandths + (count_ % 1000 * thousandths + 999) / 1000;
  uint64_t seen = 0;
  for (size_t step = 0; step < counts_.size(); ++step) {
    seen += counts_[step];
    if (seen >= wanted && seen != 0) return std::min(LatencySteps::end_of(step), longest_ns_);
  }
  return 0;
}

}  // namespace hs
