#include "workload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace hs::bench {
namespace {

TEST(KnownRowTest, AcceptsTheAnswerOfItsKey) {
  EXPECT_TRUE(KnownRow(7).is_answer("0\t3\tuser name 7\tuser7@example.com\t2010-02-03 11:22:33"));
  EXPECT_TRUE(
      KnownRow(4294967295)
          .is_answer(
              "0\t3\tuser name 4294967295\tuser4294967295@example.com\t2010-02-03 11:22:33"));
}

TEST(KnownRowTest, TheRow101IsTheSampleRow) {
  EXPECT_TRUE(
      KnownRow(101).is_answer("0\t3\tYukari Takeba\tyukari.takeba@dena.jp\t2010-02-03 11:22:33"));
  EXPECT_FALSE(
      KnownRow(101).is_answer("0\t3\tuser name 101\tuser101@example.com\t2010-02-03 11:22:33"));
}

TEST(KnownRowTest, RefusesEveryOtherAnswer) {
  const KnownRow row(7);
  EXPECT_FALSE(row.is_answer("0\t3\tuser name 8\tuser8@example.com\t2010-02-03 11:22:33"));
  EXPECT_FALSE(row.is_answer("0\t3\tuser name 7\tuser8@example.com\t2010-02-03 11:22:33"));
  EXPECT_FALSE(row.is_answer("0\t3\tuser name 7\tuser7@example.com\t2010-02-03 11:22:34"));
  EXPECT_FALSE(row.is_answer("0\t3\tuser name 7\tuser7@example.com\t2010-02-03 11:22:33\tx"));
  EXPECT_FALSE(row.is_answer("0\t3\tuser name 7\tuser7@example.com"));
  EXPECT_FALSE(row.is_answer("0\t3"));
  EXPECT_FALSE(row.is_answer("2\t1\tcmd"));
  EXPECT_FALSE(row.is_answer(""));
}

TEST(KeysTest, AreUniformOverTheRows) {
  const Keys keys(1, 10);
  std::vector<int> seen(11);
  for (uint64_t request = 0; request < 100'000; ++request) ++seen.at(keys.at(request));
  EXPECT_EQ(seen[0], 0);
  EXPECT_GT(*std::min_element(seen.begin() + 1, seen.end()), 9'500);
  EXPECT_LT(*std::max_element(seen.begin() + 1, seen.end()), 10'500);
}

TEST(KeysTest, AreHotButForTheShareThatIsCold) {
  const Keys keys(1, 1000, 10, 0.25);
  int hot = 0;
  for (uint64_t request = 0; request < 100'000; ++request) hot += keys.at(request) <= 10;
  EXPECT_GT(hot, 74'000);  // of the cold ones one in a hundred is, too
  EXPECT_LT(hot, 76'500);
}

TEST(KeysTest, TheSameSeedGivesTheSameKeys) {
  EXPECT_EQ(Keys(5, 1'000'000).at(17), Keys(5, 1'000'000).at(17));
  EXPECT_NE(Keys(5, 1'000'000).at(17), Keys(6, 1'000'000).at(17));
}

}  // namespace
}  // namespace hs::bench
