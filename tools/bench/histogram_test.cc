#include "histogram.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace hs::bench {
namespace {

TEST(HistogramTest, AnEmptyOneHasZeroEverywhere) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_EQ(histogram.percentile(50), 0u);
}

TEST(HistogramTest, SmallValuesAreExact) {
  Histogram histogram;
  for (uint64_t value = 1; value <= 200; ++value) histogram.record(value);
  EXPECT_EQ(histogram.percentile(50), 100u);
  EXPECT_EQ(histogram.percentile(99), 198u);
  EXPECT_EQ(histogram.percentile(100), 200u);
  EXPECT_EQ(histogram.percentile(0), 1u);
}

TEST(HistogramTest, EveryValueIsFoundAgainWithLessThanOnePercentOfError) {
  for (uint64_t value = 1; value < (uint64_t{1} << 62); value += value / 3 + 1) {
    Histogram histogram;
    histogram.record(value);
    histogram.record(std::numeric_limits<uint64_t>::max());
    EXPECT_GE(histogram.percentile(50), value);
    EXPECT_LE(histogram.percentile(50), value + value / 100);
  }
}

TEST(HistogramTest, NoPercentileExceedsTheLargestValue) {
  Histogram histogram;
  histogram.record(1'000'003);
  EXPECT_EQ(histogram.percentile(99.9), 1'000'003u);
  EXPECT_EQ(histogram.max(), 1'000'003u);
}

TEST(HistogramTest, MergingIsRecordingInOne) {
  Histogram first;
  Histogram second;
  for (int i = 0; i < 90; ++i) first.record(10);
  for (int i = 0; i < 10; ++i) second.record(100);
  first.merge(second);
  EXPECT_EQ(first.count(), 100u);
  EXPECT_EQ(first.percentile(90), 10u);
  EXPECT_EQ(first.percentile(91), 100u);
}

}  // namespace
}  // namespace hs::bench
