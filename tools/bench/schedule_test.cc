#include "schedule.h"

#include <gtest/gtest.h>

#include <chrono>

namespace hs::bench {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr Clock::time_point kFirst{std::chrono::hours(5)};

TEST(ScheduleTest, RequestsAreDueAtEqualDistances) {
  const Schedule schedule(kFirst, 1000);
  EXPECT_EQ(schedule.at(0), kFirst);
  EXPECT_EQ(schedule.at(1), kFirst + milliseconds(1));
  EXPECT_EQ(schedule.at(10'000), kFirst + milliseconds(10'000));
}

TEST(ScheduleTest, DistancesThatAreNoWholeNumberDoNotAddUpToAnError) {
  EXPECT_EQ(Schedule(kFirst, 3).at(3'000'000), kFirst + std::chrono::seconds(1'000'000));
  EXPECT_EQ(Schedule(kFirst, 3e8).at(3), kFirst + nanoseconds(10));
}

TEST(ScheduleTest, ARateMayBeVeryLow) {
  EXPECT_EQ(Schedule(kFirst, 0.001).at(1), kFirst + std::chrono::seconds(1000));
  EXPECT_GT(Schedule(kFirst, 0.001).at(UINT64_MAX), kFirst + std::chrono::hours(24 * 365));
}

TEST(ScheduleTest, CountsTheRequestsOfAPhase) {
  EXPECT_EQ(Schedule::requests({.seconds = 2, .rate = 1000}), 2000u);
  EXPECT_EQ(Schedule::requests({.seconds = 0.0001, .rate = 1000}), 1u);
  EXPECT_EQ(Schedule::requests({.requests = 7, .rate = 1000}), 7u);
}

}  // namespace
}  // namespace hs::bench
