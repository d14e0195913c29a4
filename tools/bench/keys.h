// Chooses the key of each request.
#ifndef HS_TOOLS_BENCH_KEYS_H_
#define HS_TOOLS_BENCH_KEYS_H_

#include <cstdint>

#include "permutation.h"

namespace hs::bench {

// The n-th key is a function of n and the seed alone. So every target gets the same keys, however
// many threads share them.
class Keys {
 public:
  // Uniform over 1 … rows.
  static Keys uniform(uint64_t seed, uint32_t rows) { return hot(seed, rows, rows, 1); }

  // Uniform over 1 … hot, but a share `cold` of them uniform over 1 … rows. 1 <= hot <= rows and
  // 0 <= cold <= 1.
  static Keys hot(uint64_t seed, uint32_t rows, uint32_t hot, double cold);

  // Over 1 … rows: the i-th most frequent key has a frequency in proportion to 1 / i^theta. The
  // frequent keys are scattered over the whole range. 0 < theta < 1.
  static Keys zipfian(uint64_t seed, uint32_t rows, double theta);

  // first, first + 1, …; after `count` keys again from first.
  static Keys sequential(uint32_t first, uint64_t count);

  // The same keys in a random order.
  static Keys scattered(uint64_t seed, uint32_t first, uint64_t count);

  uint32_t at(uint64_t n) const;

 private:
  enum class Kind { kHot, kZipfian, kSequential, kScattered };

  Keys(Kind kind, uint64_t seed, uint32_t first, uint64_t count)
      : kind_(kind), seed_(seed), first_(first), count_(count), permutation_(seed, count) {}

  uint64_t zipfian_rank(double fraction) const;

  Kind kind_;
  uint64_t seed_;
  uint32_t first_;
  uint64_t count_;
  Permutation permutation_;
  uint64_t hot_ = 0;
  double cold_ = 0;
  double zeta_ = 0;
  double second_ = 0;
  double alpha_ = 0;
  double eta_ = 0;
};

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_KEYS_H_
