#include "base/latency.h"

#include <gtest/gtest.h>

#include <memory>

namespace hs {
namespace {

TEST(LatencyTest, StepsFollowEachOtherAndAreSixPercentWide) {
  for (size_t step = 1; step < LatencySteps::kSteps; ++step) {
    const auto begin = static_cast<int64_t>(LatencySteps::end_of(step - 1));
    const auto end = static_cast<int64_t>(LatencySteps::end_of(step));
    ASSERT_LT(begin, end);
    ASSERT_EQ(LatencySteps::step_of(begin), step);
    ASSERT_EQ(LatencySteps::step_of(end - 1), step);
    if (begin >= 1024) {
      ASSERT_LE(end - begin, begin / 16);
    }
  }
}

TEST(LatencyTest, WhatIsOutsideCountsAtTheEnds) {
  EXPECT_EQ(LatencySteps::step_of(-1), 0u);
  EXPECT_EQ(LatencySteps::step_of(INT64_MIN), 0u);
  EXPECT_EQ(LatencySteps::step_of(INT64_MAX), LatencySteps::kSteps - 1);
  EXPECT_GT(LatencySteps::end_of(LatencySteps::kSteps - 1), 3600ull * 1'000'000'000);
}

TEST(LatencyTest, QuantilesAreThoseOfTheTimes) {
  const auto latency = std::make_unique<Latency>();
  const auto sum = std::make_unique<LatencySum>();
  EXPECT_EQ(sum->quantile_ns(500), 0u);
  for (int64_t us = 1; us <= 1000; ++us) latency->record(us * 1000, 1);
  sum->add(*latency);
  EXPECT_EQ(sum->count(), 1000u);
  EXPECT_EQ(sum->longest_ns(), 1'000'000u);
  for (const unsigned thousandths : {500u, 990u, 999u}) {
    EXPECT_GE(sum->quantile_ns(thousandths), thousandths * 1000);
    EXPECT_LE(sum->quantile_ns(thousandths), thousandths * 1000 * 17 / 16);
  }
  EXPECT_EQ(sum->quantile_ns(1000), 1'000'000u);
}

TEST(LatencyTest, ManyAtOnceCountAsMany) {
  const auto latency = std::make_unique<Latency>();
  const auto sum = std::make_unique<LatencySum>();
  latency->record(2000, 99);
  latency->record(50'000, 1);
  sum->add(*latency);
  sum->add(*latency);
  EXPECT_EQ(sum->count(), 200u);
  EXPECT_EQ(sum->count_at(LatencySteps::step_of(2000)), 198u);
  EXPECT_LT(sum->quantile_ns(990), 2200u);
  EXPECT_EQ(sum->quantile_ns(999), 50'000u);
}

}  // namespace
}  // namespace hs
