#include "top_figures.h"

#include <gtest/gtest.h>

namespace hs::tool {
namespace {

TEST(TopFigures, ACountThatBeginsAnewCountsFromZero) {
  EXPECT_EQ(more(5, 8), 3U);
  EXPECT_EQ(more(8, 5), 5U);
  EXPECT_EQ(more(Buckets{{10, 4}}, Buckets{{10, 6}, {20, 1}}), (Buckets{{10, 2}, {20, 1}}));
}

TEST(TopFigures, APercentileIsTheStepThatHasIt) {
  const Buckets buckets = {{10, 50}, {20, 49}, {40, 0}, {80, 1}};
  EXPECT_EQ(percentile(buckets, 0.5), 10U);
  EXPECT_EQ(percentile(buckets, 0.51), 20U);
  EXPECT_EQ(percentile(buckets, 0.99), 20U);
  EXPECT_EQ(percentile(buckets, 0.999), 80U);
  EXPECT_EQ(percentile({}, 0.5), 0U);
}

TEST(TopFigures, ThePageTellsOfTheTimeBetween) {
  Counts before, now;
  now.at = 2;
  now.status = {{"requests", 2000}, {"errors", 4}};
  now.latency[{"read", "find"}] = {{50'000, 1990}, {100'250, 10}};
  now.latency[{"write", "insert"}] = before.latency[{"write", "insert"}] = {{50, 3}};
  now.connections = {{{"read", "idle"}, 3}, {{"write", "executing"}, 1}};
  before.tables = {{"test.cold", {9, 9}}};
  now.tables = {{"test.cold", {9, 9}}, {"test.hot", {1800, 3600}}, {"test.warm", {200, 0}}};
  EXPECT_EQ(
      page(before, now, 1, false),
      "connections 4, read 3, write 1; executing 1; idle 3\n"
      "per second: requests 1000, errors 2, rows found 0, rows changed 0, commits 0, lock waits 0\n"
      "\n"
      "port  kind  per second  p50 us  p99 us  p99.9 us\n"
      "----  ----  ----------  ------  ------  --------\n"
      "read  find        1000    50.0    50.0     100.2\n"
      "\n"
      "table     requests per second  rows per second\n"
      "--------  -------------------  ---------------\n"
      "test.hot                  900             1800\n");
}

}  // namespace
}  // namespace hs::tool
