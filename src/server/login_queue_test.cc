#include "server/login_queue.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace hs::server {
namespace {

class LoginQueueTest : public ::testing::Test {
 protected:
  // Returns the host of the login that gives way.
  std::string add(const std::string& host) {
    LoginJobs job;
    job.push_back({nullptr, nullptr, {}, nullptr, host});
    added_.push_back(&job.front());
    const LoginJobs crowded = queue_.add(std::move(job));
    if (crowded.empty()) return "none";
    gave_way_ = &crowded.front();
    return crowded.front().host;
  }
  void add_many(const std::string& host, int number) {
    for (int i = 0; i < number; ++i) ASSERT_EQ(add(host), "none");
  }
  // Returns the host of the next login, or "none".
  std::string take() {
    if (queue_.takeable() == 0) return "none";
    taken_.push_back(&queue_.take());
    return taken_.back()->host;
  }
  // Ends the login that was taken first.
  void end() {
    queue_.end(*taken_.front());
    taken_.erase(taken_.begin());
  }

  LoginQueue queue_{{12, 16}};
  std::vector<const LoginJob*> added_;  // only to be compared
  std::vector<const LoginJob*> taken_;
  const LoginJob* gave_way_ = nullptr;  // only to be compared
};

TEST_F(LoginQueueTest, TheLoginsOfOneHostAreTakenInOrder) {
  add_many("a", 4);
  for (int i = 0; i < 4; ++i) ASSERT_EQ(take(), "a");
  EXPECT_EQ(taken_, added_);
  EXPECT_EQ(take(), "none");
}

TEST_F(LoginQueueTest, TheNextIsOfTheHostWithTheFewestUnderWay) {
  add_many("a", 5);
  add_many("b", 2);
  add_many("c", 1);
  std::string order;
  for (int i = 0; i < 8; ++i) order += take();
  EXPECT_EQ(order, "abcabaaa");
}

TEST_F(LoginQueueTest, WhatHasEndedIsNoLongerUnderWay) {
  add_many("a", 3);
  add_many("b", 2);
  ASSERT_EQ(take(), "a");
  ASSERT_EQ(take(), "b");
  end();
  EXPECT_EQ(take(), "a");
  end();
  EXPECT_EQ(take(), "b");
}

TEST_F(LoginQueueTest, AHostLeavesHalfOfTheThreadsToTheOthers) {
  add_many("a", 10);
  for (int i = 0; i < 6; ++i) ASSERT_EQ(take(), "a");
  EXPECT_EQ(take(), "none");
  EXPECT_NE(queue_.first_waiting(), nullptr);
  add_many("b", 1);
  EXPECT_EQ(take(), "b");
  EXPECT_EQ(take(), "none");
  end();
  EXPECT_EQ(take(), "a");
}

TEST_F(LoginQueueTest, HostsThatTakeAllTheyCanLeaveAThreadForAnother) {
  for (const char* host : {"a", "b", "c"}) {
    add_many(host, 12);
    while (take() != "none") {
    }
    queue_.take_all_waiting();
  }
  add_many("d", 1);
  EXPECT_EQ(take(), "d");
}

TEST_F(LoginQueueTest, NoMoreAreUnderWayThanMayBe) {
  for (int host = 0; host < 14; ++host) add_many(std::to_string(host), 1);
  EXPECT_EQ(queue_.takeable(), 12U);
  for (int i = 0; i < 12; ++i) ASSERT_NE(take(), "none");
  EXPECT_EQ(take(), "none");
  end();
  EXPECT_EQ(take(), "12");
}

TEST_F(LoginQueueTest, TheNewestOfTheHostWithMostThatWaitGivesWay) {
  add_many("a", 5);
  add_many("b", 9);
  add_many("a", 2);
  EXPECT_EQ(add("c"), "b");
  EXPECT_EQ(gave_way_, added_[13]);
  EXPECT_EQ(add("c"), "b");
  EXPECT_EQ(gave_way_, added_[12]);
  EXPECT_EQ(add("b"), "b");
  EXPECT_EQ(gave_way_, added_.back());
}

TEST_F(LoginQueueTest, OfHostsWithEquallyManyTheNewestGivesWay) {
  for (int i = 0; i < 16; ++i) add_many(std::to_string(i), 1);
  EXPECT_EQ(add("new"), "new");
  EXPECT_EQ(add("3"), "3");
  EXPECT_EQ(gave_way_, added_.back());
}

TEST_F(LoginQueueTest, WhatIsUnderWayDoesNotCountAsWaiting) {
  add_many("a", 6);
  for (int i = 0; i < 6; ++i) ASSERT_EQ(take(), "a");
  add_many("a", 7);
  add_many("b", 8);
  add_many("c", 1);
  EXPECT_EQ(add("c"), "b");
}

TEST_F(LoginQueueTest, AllThatWaitCanBeTakenOut) {
  add_many("a", 3);
  ASSERT_EQ(take(), "a");
  EXPECT_EQ(queue_.take_all_waiting().size(), 2U);
  EXPECT_EQ(queue_.first_waiting(), nullptr);
  EXPECT_EQ(take(), "none");
  end();
}

}  // namespace
}  // namespace hs::server
