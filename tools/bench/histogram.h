// Latencies in buckets whose width grows with the value: any range, less than 1 % error, no
// allocation while recording (the idea of HdrHistogram, which Debian has no C++ package of).
#ifndef HS_TOOLS_BENCH_HISTOGRAM_H_
#define HS_TOOLS_BENCH_HISTOGRAM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hs::bench {

// One thread records; merge() puts the histograms of several threads together afterwards.
class Histogram {
 public:
  Histogram();

  void record(uint64_t value);
  void merge(const Histogram& other);

  uint64_t count() const { return count_; }
  uint64_t max() const { return max_; }

  // The value that `percent` (0 to 100) of the recorded values do not exceed, at most 1/128 too
  // high; 0 when nothing was recorded.
  uint64_t percentile(double percent) const;

 private:
  std::vector<uint64_t> buckets_;
  uint64_t count_ = 0;
  uint64_t max_ = 0;
};

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_HISTOGRAM_H_
