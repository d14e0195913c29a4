#include "schedule.h"

#include <gtest/gtest.h>

#include <chrono>

namespace hs::bench {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr Clock::time_point kStart{std::chrono::hours(5)};

TEST(ScheduleTest, RequestsAreDueAtEqualDistances) {
  const Schedule schedule(kStart, 1000);
  EXPECT_EQ(schedule.at(0), kStart);
  EXPECT_EQ(schedule.at(1), kStart + milliseconds(1));
  EXPECT_EQ(schedule.at(10'000), kStart + milliseconds(10'000));
}

TEST(ScheduleTest, DistancesThatAreNoWholeNumberDoNotAddUpToAnError) {
  EXPECT_EQ(Schedule(kStart, 3).at(3'000'000), kStart + std::chrono::seconds(1'000'000));
  EXPECT_EQ(Schedule(kStart, 3e8).at(3), kStart + nanoseconds(10));
}

TEST(ScheduleTest, ARateMayBeVeryLow) {
  EXPECT_EQ(Schedule(kStart, 0.001).at(1), kStart + std::chrono::seconds(1000));
  EXPECT_GT(Schedule(kStart, 0.001).at(UINT64_MAX), kStart + std::chrono::hours(24 * 365));
}

TEST(ScheduleTest, CountsTheRequestsOfAPhase) {
  EXPECT_EQ(Schedule::requests({.seconds = 2, .rate = 1000}), 2000u);
  EXPECT_EQ(Schedule::requests({.seconds = 0.0001, .rate = 1000}), 1u);
  EXPECT_EQ(Schedule::requests({.requests = 7, .rate = 1000}), 7u);
}

}  // namespace
}  // namespace hs::bench
