#include "adapter/session_list.h"

#include <gtest/gtest.h>

namespace hs::adapter {
namespace {

struct ToldSession {
  int calls = 0;
};

TEST(SessionListTest, CallsEachSessionThatWasNotRemoved) {
  SessionList<ToldSession> list;
  ToldSession first, second, third;
  for (ToldSession* session : {&first, &second, &third}) list.add(session);
  list.remove(&second);
  list.for_each([](ToldSession& session) { ++session.calls; });
  EXPECT_EQ(first.calls, 1);
  EXPECT_EQ(second.calls, 0);
  EXPECT_EQ(third.calls, 1);
}

TEST(SessionListTest, CountsThem) {
  SessionList<ToldSession> list;
  EXPECT_EQ(list.size(), 0U);
  ToldSession one, other;
  list.add(&one);
  list.add(&other);
  EXPECT_EQ(list.size(), 2U);
  list.remove(&one);
  EXPECT_EQ(list.size(), 1U);
  list.remove(&other);
  EXPECT_EQ(list.size(), 0U);
}

}  // namespace
}  // namespace hs::adapter
