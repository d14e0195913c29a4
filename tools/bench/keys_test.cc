#include "keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <vector>

#include "permutation.h"

namespace hs::bench {
namespace {

std::vector<int> counts(const Keys& keys, size_t rows, uint64_t requests) {
  std::vector<int> seen(rows + 1);
  for (uint64_t request = 0; request < requests; ++request) ++seen.at(keys.at(request));
  return seen;
}

TEST(KeysTest, UniformOnesAreUniformOverTheRows) {
  const std::vector<int> seen = counts(Keys::uniform(1, 10), 10, 100'000);
  EXPECT_EQ(seen[0], 0);
  EXPECT_GT(*std::min_element(seen.begin() + 1, seen.end()), 9'500);
  EXPECT_LT(*std::max_element(seen.begin() + 1, seen.end()), 10'500);
}

TEST(KeysTest, AreHotButForTheShareThatIsCold) {
  const Keys keys = Keys::hot(1, 1000, 10, 0.25);
  int hot = 0;
  for (uint64_t request = 0; request < 100'000; ++request) hot += keys.at(request) <= 10;
  EXPECT_GT(hot, 74'000);  // of the cold keys one in a hundred is hot, too
  EXPECT_LT(hot, 76'500);
}

TEST(KeysTest, TheSameSeedGivesTheSameKeys) {
  EXPECT_EQ(Keys::uniform(5, 1'000'000).at(17), Keys::uniform(5, 1'000'000).at(17));
  EXPECT_NE(Keys::uniform(5, 1'000'000).at(17), Keys::uniform(6, 1'000'000).at(17));
  EXPECT_EQ(Keys::zipfian(5, 1'000'000, 0.9).at(17), Keys::zipfian(5, 1'000'000, 0.9).at(17));
}

TEST(KeysTest, ZipfianFrequenciesFallWithThePowerOfTheRank) {
  constexpr double kTheta = 0.8;
  constexpr uint32_t kRows = 5000;  // more terms than zeta() adds up one by one
  constexpr int kRequests = 2'000'000;
  std::vector<int> seen = counts(Keys::zipfian(1, kRows, kTheta), kRows, kRequests);
  EXPECT_EQ(seen[0], 0);
  std::sort(seen.rbegin(), seen.rend());
  double zeta = 0;
  for (int i = 1; i <= static_cast<int>(kRows); ++i) zeta += std::pow(i, -kTheta);
  EXPECT_NEAR(seen[0], kRequests / zeta, 0.02 * kRequests / zeta);
  EXPECT_NEAR(seen[1], seen[0] * std::pow(0.5, kTheta), 0.03 * seen[1]);
  // The method is exact for the first two ranks only.
  EXPECT_NEAR(seen[9], seen[0] * std::pow(0.1, kTheta), 0.1 * seen[9]);
  EXPECT_NEAR(seen[99], seen[0] * std::pow(0.01, kTheta), 0.1 * seen[99]);
}

TEST(KeysTest, FrequentZipfianKeysAreScattered) {
  const std::vector<int> seen = counts(Keys::zipfian(1, 1000, 0.99), 1000, 100'000);
  const int low = std::accumulate(seen.begin(), seen.begin() + 10, 0);
  EXPECT_LT(low, 50'000);  // in the order of their frequency 40 in 100 would be below
}

TEST(KeysTest, ZipfianKeysStayInTheirRangeHoweverFewThereAre) {
  for (const uint32_t rows : {1u, 2u, 3u, 4u}) {
    const std::vector<int> seen = counts(Keys::zipfian(1, rows, 0.99), rows, 10'000);
    EXPECT_EQ(seen[0], 0);
    EXPECT_GT(*std::min_element(seen.begin() + 1, seen.end()), 0) << rows;
  }
  const Keys many = Keys::zipfian(1, UINT32_MAX, 0.5);
  for (uint64_t request = 0; request < 1000; ++request) EXPECT_GT(many.at(request), 0u);
}

TEST(KeysTest, SequentialOnesComeInOrderAndAgain) {
  const Keys keys = Keys::sequential(5, 3);
  EXPECT_EQ(keys.at(0), 5u);
  EXPECT_EQ(keys.at(2), 7u);
  EXPECT_EQ(keys.at(3), 5u);
}

TEST(KeysTest, ScatteredOnesAreTheSameKeysInAnotherOrder) {
  const Keys keys = Keys::scattered(1, 100, 1000);
  std::set<uint32_t> seen;
  int in_order = 0;
  for (uint64_t i = 0; i < 1000; ++i) {
    const uint32_t key = keys.at(i);
    seen.insert(key);
    in_order += key == 100 + i;
  }
  EXPECT_EQ(seen.size(), 1000u);
  EXPECT_EQ(*seen.begin(), 100u);
  EXPECT_EQ(*seen.rbegin(), 1099u);
  EXPECT_LT(in_order, 10);
}

TEST(PermutationTest, HasEachNumberOnceForEverySize) {
  for (uint64_t size = 1; size < 300; ++size) {
    const Permutation permutation(size, size);
    std::vector<bool> seen(size);
    for (uint64_t i = 0; i < size; ++i) seen.at(permutation.at(i)) = true;
    EXPECT_EQ(std::count(seen.begin(), seen.end(), false), 0) << size;
  }
}

TEST(PermutationTest, TakesTheWholeRangeOfKeys) {
  const Permutation permutation(1, uint64_t{UINT32_MAX} + 1);
  std::set<uint32_t> seen;
  for (uint64_t i = 0; i < 10'000; ++i) seen.insert(permutation.at(i));
  EXPECT_EQ(seen.size(), 10'000u);
  EXPECT_GT(*seen.rbegin(), 4'200'000'000u);
}

}  // namespace
}  // namespace hs::bench
