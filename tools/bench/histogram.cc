#include "histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace hs::bench {

namespace {

// Values below 2 * kHalf have a bucket each. Above, every doubling is cut into kHalf buckets:
//
//   exponent   0: 0 … 255     1: 256, 258 … 510     2: 512, 516 … 1020     …
//   bucket        0 … 255        256      … 383        384       … 511
constexpr int kHalfBits = 7;
constexpr uint64_t kHalf = uint64_t{1} << kHalfBits;
constexpr size_t kBuckets = (64 - kHalfBits + 1) * kHalf;

size_t bucket_of(uint64_t value) {
  const int exponent = std::max(0, static_cast<int>(std::bit_width(value)) - (kHalfBits + 1));
  return static_cast<size_t>(exponent) * kHalf + (value >> exponent);
}

uint64_t highest_in(size_t bucket) {
  if (bucket < 2 * kHalf) return bucket;
  const uint64_t exponent = bucket / kHalf - 1;
  return ((bucket - exponent * kHalf + 1) << exponent) - 1;
}

}  // namespace

Histogram::Histogram() : buckets_(kBuckets) {}

void Histogram::record(uint64_t value) {
  ++buckets_[bucket_of(value)];
  ++count_;
  max_ = std::max(max_, value);
}

void Histogram::merge(const Histogram& other) {
  for (size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  max_ = std::max(max_, other.max_);
}

uint64_t Histogram::percentile(double percent) const {
  if (count_ == 0) return 0;
  const double exact = std::ceil(percent / 100 * static_cast<double>(count_));
  const uint64_t wanted = std::max<uint64_t>(1, static_cast<uint64_t>(exact));
  uint64_t seen = 0;
  for (size_t i = 0; i < kBuckets; ++i) {
    seen += buckets_[i];
    if (seen >= wanted) return std::min(highest_in(i), max_);
  }
  return max_;
}

}  // namespace hs::bench
