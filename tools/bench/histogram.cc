#include "histogram.h"

#include <algorithm>
#include <cmath>

#include "base/log_steps.h"

namespace hs::bench {

namespace {

// 128 steps for each doubling, up to the greatest number.
using Steps = LogSteps<0, 7, 57>;
static_assert(Steps::last_of(Steps::kSteps - 1) == UINT64_MAX);

}  // namespace

Histogram::Histogram() : buckets_(Steps::kSteps) {}

void Histogram::record(uint64_t value) {
  ++buckets_[Steps::step_of(value)];
  ++count_;
  max_ = std::max(max_, value);
}

void Histogram::merge(const Histogram& other) {
  for (size_t i = 0; i < Steps::kSteps; ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  max_ = std::max(max_, other.max_);
}

uint64_t Histogram::percentile(double percent) const {
  if (count_ == 0) return 0;
  const double exact = std::ceil(percent / 100 * static_cast<double>(count_));
  const uint64_t wanted = std::max<uint64_t>(1, static_cast<uint64_t>(exact));
  uint64_t seen = 0;
  for (size_t i = 0; i < Steps::kSteps; ++i) {
    seen += buckets_[i];
    if (seen >= wanted) return std::min(Steps::last_of(i), max_);
  }
  return max_;
}

}  // namespace hs::bench
