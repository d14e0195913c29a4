#include "permutation.h"

#include <bit>

#include "random.h"

namespace hs::bench {

namespace {

constexpr uint64_t kRounds = 4;

}  // namespace

Permutation::Permutation(uint64_t seed, uint64_t size)
    : seed_(seed), size_(size), half_bits_((static_cast<int>(std::bit_width(size - 1)) + 1) / 2) {}

// A Feistel network permutes 0 … 2^(2 * half_bits_) - 1, which has less than four times as many
// numbers. A number of size_ or more is permuted again until it is below size_. That is a
// permutation, too.
uint32_t Permutation::at(uint64_t position) const {
  uint64_t number = scatter(position);
  while (number >= size_) number = scatter(number);
  return static_cast<uint32_t>(number);
}

uint64_t Permutation::scatter(uint64_t number) const {
  const uint64_t mask = (uint64_t{1} << half_bits_) - 1;
  uint64_t left = number >> half_bits_;
  uint64_t right = number & mask;
  for (uint64_t round = 0; round < kRounds; ++round) {
    const uint64_t next = left ^ (random_bits(seed_ + round, right) & mask);
    left = right;
    right = next;
  }
  return left << half_bits_ | right;
}

}  // namespace hs::bench
