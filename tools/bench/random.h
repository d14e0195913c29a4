// Random numbers without a state: the n-th number is a function of the seed and n.
#ifndef HS_TOOLS_BENCH_RANDOM_H_
#define HS_TOOLS_BENCH_RANDOM_H_

#include <cstdint>

namespace hs::bench {

// SplitMix64.
constexpr uint64_t random_bits(uint64_t seed, uint64_t n) {
  uint64_t bits = seed * 0xd1342543de82ef95 + n * 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

// 0 <= fraction < 1, from all of the bits that a double holds.
constexpr double as_fraction(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_RANDOM_H_
