#include "adapter/counted_requests.h"

#include <gtest/gtest.h>

namespace hs::adapter {
namespace {

struct Account {
  void take_back(int command) const { taken_back.push_back(command); }
  mutable std::vector<int> taken_back;
};

using Requests = CountedRequests<Account, int>;

TEST(CountedRequests, TheLastOneIsTakenBackFirst) {
  const Account account;
  Requests requests;
  requests.take_back_last();
  requests.add(account, 1);
  requests.add(account, 2);
  requests.take_back_last();
  EXPECT_EQ(account.taken_back, std::vector<int>({2}));
  requests.take_back_all();
  EXPECT_EQ(account.taken_back, std::vector<int>({2, 1}));
  requests.take_back_all();
  EXPECT_EQ(account.taken_back.size(), 2u);
}

TEST(CountedRequests, EachGoesBackToItsOwnAccount) {
  const Account one, other;
  Requests requests;
  requests.add(one, 1);
  requests.add(other, 2);
  requests.take_back_all();
  EXPECT_EQ(one.taken_back, std::vector<int>({1}));
  EXPECT_EQ(other.taken_back, std::vector<int>({2}));
}

TEST(CountedRequests, WhatIsForgottenStaysCounted) {
  const Account account;
  Requests requests;
  requests.add(account, 1);
  requests.forget();
  requests.take_back_all();
  EXPECT_TRUE(account.taken_back.empty());
}

}  // namespace
}  // namespace hs::adapter
