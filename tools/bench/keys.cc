#include "keys.h"

#include <algorithm>
#include <cmath>

#include "random.h"

namespace hs::bench {

namespace {

// The sum of 1 / i^theta for i = 1 … n. The first terms are added up; the rest is the formula of
// Euler and Maclaurin, whose error is then below 1e-10. So large tables take no longer.
double zeta(double n, double theta) {
  constexpr double kExact = 1000;
  double sum = 0;
  for (double i = 1; i <= std::min(n, kExact); ++i) sum += std::pow(i, -theta);
  if (n <= kExact) return sum;
  const auto integral = [&](double x) { return std::pow(x, 1 - theta) / (1 - theta); };
  const auto slope = [&](double x) { return -theta * std::pow(x, -theta - 1); };
  return sum + integral(n) - integral(kExact) +
         (std::pow(n, -theta) - std::pow(kExact, -theta)) / 2 + (slope(n) - slope(kExact)) / 12;
}

}  // namespace

Keys Keys::hot(uint64_t seed, uint32_t rows, uint32_t hot, double cold) {
  Keys keys(Kind::kHot, seed, 1, rows);
  keys.hot_ = hot;
  keys.cold_ = cold;
  return keys;
}

// The method of Gray et al., "Quickly generating billion-record synthetic databases" (1994).
Keys Keys::zipfian(uint64_t seed, uint32_t rows, double theta) {
  Keys keys(Kind::kZipfian, seed, 1, rows);
  keys.zeta_ = zeta(rows, theta);
  keys.second_ = 1 + std::pow(0.5, theta);
  keys.alpha_ = 1 / (1 - theta);
  keys.eta_ = (1 - std::pow(2.0 / rows, 1 - theta)) / (1 - keys.second_ / keys.zeta_);
  return keys;
}

Keys Keys::sequential(uint32_t first, uint64_t count) {
  return {Kind::kSequential, 0, first, count};
}

Keys Keys::scattered(uint64_t seed, uint32_t first, uint64_t count) {
  return {Kind::kScattered, seed, first, count};
}

uint64_t Keys::zipfian_rank(double fraction) const {
  const double share = fraction * zeta_;
  if (share < 1 || count_ < 2) return 0;
  if (share < second_ || count_ < 3) return 1;
  const double rank = static_cast<double>(count_) * std::pow(eta_ * (fraction - 1) + 1, alpha_);
  return std::min(static_cast<uint64_t>(rank), count_ - 1);
}

uint32_t Keys::at(uint64_t n) const {
  const uint64_t bits = random_bits(seed_, n);
  switch (kind_) {
    case Kind::kHot: {
      const bool is_cold = static_cast<double>(bits & UINT32_MAX) < cold_ * 0x1p32;
      return static_cast<uint32_t>(((bits >> 32) * (is_cold ? count_ : hot_)) >> 32) + first_;
    }
    case Kind::kZipfian:
      return permutation_.at(zipfian_rank(as_fraction(bits))) + first_;
    case Kind::kSequential:
      return static_cast<uint32_t>(n % count_) + first_;
    case Kind::kScattered:
      return permutation_.at(n % count_) + first_;
  }
  return 0;
}

}  // namespace hs::bench
