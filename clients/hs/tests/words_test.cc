#include "words.h"

#include <gtest/gtest.h>

namespace hs::tool {
namespace {

TEST(Words, AConditionHasAColumnAnOperatorAndTheRest) {
  const Filter blanks = filter_of("user_name != user name 5", false, false);
  EXPECT_EQ(blanks.column, "user_name");
  EXPECT_EQ(blanks.op, "!=");
  EXPECT_EQ(blanks.value, "user name 5");
  const Filter tight = filter_of("a<=-5", true, false);
  EXPECT_EQ(tight.op, "<=");
  EXPECT_EQ(tight.value, "-5");
  EXPECT_TRUE(tight.ends);
  EXPECT_EQ(filter_of("a = \\N", false, false).value, std::nullopt);
  EXPECT_EQ(filter_of("a =", false, false).value, "");
  EXPECT_EQ(filter_of("`my col` = x", false, false).column, "my col");
  for (const char* text : {"", "a", "= 5", "a ~ 5", "`a = 5"}) {
    EXPECT_THROW(filter_of(text, false, false), UsageError) << text;
  }
}

// Taken apart as = and "= 5", or < and "> 5", they would silently find other rows.
TEST(Words, WhatIsNoOperatorOfAConditionIsRefused) {
  for (const char* text : {"a == 5", "a=<5", "a <> 5", "a => 5", "a ! 5", "a =! 5", "a=<p>"}) {
    EXPECT_THROW(filter_of(text, false, false), UsageError) << text;
  }
  EXPECT_EQ(filter_of("a= <p>", false, false).value, "<p>");
  EXPECT_EQ(filter_of("a < =5", false, false).value, "=5");
}

TEST(Words, AFieldIsANameAndAValue) {
  EXPECT_EQ(field_of("a=b=c", false)->value, "b=c");
  EXPECT_EQ(field_of("a=", false)->value, "");
  EXPECT_EQ(field_of("a=\\N", false)->value, std::nullopt);
  EXPECT_EQ(field_of("a=\\t", false)->value, "\\t");
  EXPECT_EQ(field_of("a=\\t\\x00", true)->value, std::string("\t\0", 2));
  for (const char* text : {"", "a", "=b", "a b=c", ">=5"}) {
    EXPECT_FALSE(field_of(text, false).has_value()) << text;
  }
  EXPECT_THROW(field_of("a=\\q", true), UsageError);
}

TEST(Words, ALineIsPartedAsByAShell) {
  using List = std::vector<std::string>;
  EXPECT_EQ(words_of("  get  user 5 "), (List{"get", "user", "5"}));
  EXPECT_EQ(words_of("a \"b c\" 'd \\ e' f\\ g"), (List{"a", "b c", "d \\ e", "f g"}));
  EXPECT_EQ(words_of("x=\\N \"\\\"\" ''"), (List{"x=\\N", "\"", ""}));
  EXPECT_EQ(words_of(""), List());
  EXPECT_THROW(words_of("a 'b"), UsageError);
}

}  // namespace
}  // namespace hs::tool
