// The numbers 0 … size - 1, each once, in an order that looks random. Computed, without a table.
#ifndef HS_TOOLS_BENCH_PERMUTATION_H_
#define HS_TOOLS_BENCH_PERMUTATION_H_

#include <cstdint>

namespace hs::bench {

class Permutation {
 public:
  // 1 <= size <= 2^32. The same seed gives the same order.
  Permutation(uint64_t seed, uint64_t size);

  // The number at `position`, which is below size. Different for each position.
  uint32_t at(uint64_t position) const;

 private:
  uint64_t scatter(uint64_t number) const;

  uint64_t seed_;
  uint64_t size_;
  int half_bits_;
};

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_PERMUTATION_H_
