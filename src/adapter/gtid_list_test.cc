#include "adapter/gtid_list.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hs::adapter {
namespace {

using Gtids = std::vector<DomainGtid>;

Gtids read(std::string_view text) {
  GtidList list;
  EXPECT_TRUE(list.read(text)) << text;
  return {list.gtids().begin(), list.gtids().end()};
}

TEST(GtidListTest, APositionIsGtidsWithCommasBetweenThem) {
  EXPECT_EQ(read("0-1-7"), (Gtids{{0, 1, 7}}));
  EXPECT_EQ(read("0-1-7,4294967295-4294967295-18446744073709551615,2-0-0"),
            (Gtids{{0, 1, 7}, {4294967295, 4294967295, 18446744073709551615u}, {2, 0, 0}}));
  EXPECT_EQ(read("0-1-7, 1-1-8"), (Gtids{{0, 1, 7}, {1, 1, 8}}));
  EXPECT_EQ(read(""), Gtids{});
}

TEST(GtidListTest, WhatIsNoPositionIsRefused) {
  GtidList list;
  for (const char* text :
       {"0", "0-1", "0-1-", "-1-1", "0-1-7,", ",0-1-7", "0-1-7 ", "0-1-7;1-1-1", "0-1-7-8", "a-1-7",
        "0--1-7", "+0-1-7", "4294967296-1-7", "0-4294967296-7", "0-1-18446744073709551616", " ",
        "6d9a4b7c-0000-0000-0000-000000000000:1"})
    EXPECT_FALSE(list.read(text)) << text;
  EXPECT_FALSE(list.read(std::string_view("0-1-7\0", 6)));
}

TEST(GtidListTest, APositionIsBounded) {
  std::string text = "0-1-1";
  for (size_t i = 1; i < GtidList::kMost; ++i) text += ",0-1-1";
  EXPECT_EQ(read(text).size(), GtidList::kMost);
  GtidList list;
  EXPECT_FALSE(list.read(text + ",0-1-1"));
}

}  // namespace
}  // namespace hs::adapter
