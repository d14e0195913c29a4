#include "adapter/table_comment.h"

#include <gtest/gtest.h>

namespace hs::adapter {
namespace {

std::string error_of(std::string_view comment) {
  std::string error;
  return TableComment::parse(comment, &error) ? "none" : error;
}

TableComment parse(std::string_view comment) {
  std::string error;
  const auto made = TableComment::parse(comment, &error);
  EXPECT_TRUE(made) << error;
  return made.value_or(TableComment());
}

TEST(TableCommentTest, TheColumnOfTheEndIsNamed) {
  EXPECT_EQ(parse("hs: ttl=expires_at").ttl, "expires_at");
  EXPECT_EQ(parse("hs:ttl=e").ttl, "e");
  EXPECT_EQ(parse("Sessions of users; hs:  ttl=e \n").ttl, "e");
  EXPECT_EQ(parse("hs: ttl=größe").ttl, "größe");
}

TEST(TableCommentTest, OtherCommentsSayNothing) {
  for (const char* comment : {"", "ttl=e", "the hs", "HS: ttl=e", "paths: ttl=e", "hs : ttl=e"})
    EXPECT_EQ(parse(comment).ttl, "") << comment;
  EXPECT_EQ(parse("hs:").ttl, "");
  EXPECT_EQ(parse("hs: ").ttl, "");
}

TEST(TableCommentTest, AllWordsAreKnown) {
  const TableComment all =
      parse("hs: name=user key=user_id,part value=data flags=f cas=c ttl=expires_at sep=:");
  EXPECT_EQ(all.name, "user");
  EXPECT_EQ(all.key, "user_id,part");
  EXPECT_EQ(all.value, "data");
  EXPECT_EQ(all.flags, "f");
  EXPECT_EQ(all.cas, "c");
  EXPECT_EQ(all.ttl, "expires_at");
  EXPECT_EQ(all.sep, ":");
  EXPECT_EQ(parse("hs: sep==").sep, "=");
}

TEST(TableCommentTest, WhatIsNotUnderstoodIsSaid) {
  EXPECT_EQ(error_of("hs: tll=e"), "an unknown word in the comment: tll=e");
  EXPECT_EQ(error_of("hs: ttl"), "a word without = in the comment: ttl");
  EXPECT_EQ(error_of("hs: ttl="), "a word without a value in the comment: ttl=");
  EXPECT_EQ(error_of("hs: ttl=a ttl=b"), "a word that is there already in the comment: ttl=b");
  EXPECT_EQ(error_of("hs: ttl=e, and more"), "a word without = in the comment: and");
  EXPECT_EQ(error_of("x hs: ttl=e hs: ttl=f"), "a word without = in the comment: hs:");
}

}  // namespace
}  // namespace hs::adapter
