#include "arrivals.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace hs::bench {
namespace {

using std::chrono::milliseconds;

constexpr Clock::time_point kStart{std::chrono::hours(5)};

Clock::time_point after(int ms) { return kStart + milliseconds(ms); }

// Sends all requests that may be sent. Returns which connections got one.
std::vector<size_t> send(Arrivals& arrivals, int ms) {
  std::vector<size_t> connections;
  while (const auto turn = arrivals.next(after(ms))) connections.push_back(turn->connection);
  return connections;
}

// One request each millisecond.
Arrivals each_ms(uint64_t requests, size_t connections, size_t depth) {
  return {Schedule(kStart, 1000), requests, connections, depth};
}

TEST(ArrivalsTest, NothingIsSentBeforeItIsDue) {
  Arrivals arrivals = each_ms(10, 3, 1);
  EXPECT_EQ(send(arrivals, 0), (std::vector<size_t>{0}));
  EXPECT_EQ(arrivals.idle(after(0)), milliseconds(1));
  EXPECT_EQ(send(arrivals, 0), (std::vector<size_t>{}));
  EXPECT_EQ(send(arrivals, 1), (std::vector<size_t>{1}));
}

TEST(ArrivalsTest, WhatIsLateIsCaughtUpAndKeepsItsTime) {
  Arrivals arrivals = each_ms(10, 3, 2);
  for (int i = 0; i < 5; ++i) {
    const auto turn = arrivals.next(after(4));
    ASSERT_TRUE(turn);
    EXPECT_EQ(turn->connection, static_cast<size_t>(i % 3));
    EXPECT_EQ(turn->at, after(i));
  }
  EXPECT_FALSE(arrivals.next(after(4)));
}

TEST(ArrivalsTest, WithoutRoomRequestsWaitInLine) {
  Arrivals arrivals = each_ms(10, 2, 1);
  EXPECT_EQ(send(arrivals, 5), (std::vector<size_t>{0, 1}));
  EXPECT_EQ(arrivals.idle(after(5)), std::nullopt);
  arrivals.answered(1);
  EXPECT_EQ(arrivals.idle(after(5)), milliseconds(0));
  const auto turn = arrivals.next(after(9));
  ASSERT_TRUE(turn);
  EXPECT_EQ(turn->connection, 1u);
  EXPECT_EQ(turn->at, after(2));
  EXPECT_EQ(send(arrivals, 9), (std::vector<size_t>{}));
}

TEST(ArrivalsTest, TheConnectionThatHasHadRoomForLongestIsNext) {
  Arrivals arrivals = each_ms(10, 3, 1);
  EXPECT_EQ(send(arrivals, 2), (std::vector<size_t>{0, 1, 2}));
  arrivals.answered(2);
  arrivals.answered(0);
  EXPECT_EQ(send(arrivals, 9), (std::vector<size_t>{2, 0}));
}

TEST(ArrivalsTest, EndsWhenAllAreAnswered) {
  Arrivals arrivals = each_ms(3, 2, 2);
  EXPECT_EQ(send(arrivals, 100), (std::vector<size_t>{0, 1, 0}));
  EXPECT_TRUE(arrivals.all_sent());
  EXPECT_EQ(arrivals.idle(after(100)), std::nullopt);
  for (const size_t connection : {0, 1, 0}) {
    EXPECT_FALSE(arrivals.all_answered());
    arrivals.answered(connection);
  }
  EXPECT_TRUE(arrivals.all_answered());
}

}  // namespace
}  // namespace hs::bench
