#include "adapter/number_text.h"

#include <gtest/gtest.h>

namespace hs::adapter {
namespace {

TEST(NumberText, AWholeNumberIsAllOfTheText) {
  EXPECT_EQ(whole_number<int64_t>("-7"), -7);
  EXPECT_EQ(whole_number<uint64_t>("007"), 7u);
  for (const char* text : {"", " 7", "7 ", "+7", "7.0", "1e2", "-", "0x7", "seven"})
    EXPECT_EQ(whole_number<int64_t>(text), std::nullopt) << text;
  EXPECT_EQ(whole_number<uint64_t>("-7"), std::nullopt);
}

TEST(NumberText, AWholeNumberThatItsTypeDoesNotHoldIsNone) {
  EXPECT_EQ(whole_number<int64_t>("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(whole_number<int64_t>("9223372036854775808"), std::nullopt);
  EXPECT_EQ(whole_number<int64_t>("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(whole_number<int64_t>("-9223372036854775809"), std::nullopt);
  EXPECT_EQ(whole_number<uint64_t>("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(whole_number<uint64_t>("18446744073709551616"), std::nullopt);
}

TEST(NumberText, AShortNumberIsDigitsAloneAndEighteenAtMost) {
  EXPECT_EQ(short_number("0"), 0);
  EXPECT_EQ(short_number("0042"), 42);
  EXPECT_EQ(short_number("999999999999999999"), 999'999'999'999'999'999);
  EXPECT_EQ(short_number("1000000000000000000"), std::nullopt);
  using std::string_view_literals::operator""sv;
  for (const std::string_view text :
       {""sv, "-1"sv, "+1"sv, " 1"sv, "1 "sv, "1.0"sv, "1/"sv, "1:"sv, "\0"sv, "1\xff"sv})
    EXPECT_EQ(short_number(text), std::nullopt) << text;
}

TEST(NumberText, ABigintIsWhatSqlCountsTo) {
  EXPECT_TRUE(begins_with_bigint("9223372036854775807", false));
  EXPECT_FALSE(begins_with_bigint("9223372036854775808", false));
  EXPECT_TRUE(begins_with_bigint("9223372036854775808", true));
  EXPECT_FALSE(begins_with_bigint("18446744073709551616", true));
  EXPECT_FALSE(begins_with_bigint("-1", true));
  EXPECT_TRUE(begins_with_bigint("-9223372036854775808", false));
  EXPECT_FALSE(begins_with_bigint("-9223372036854775809", false));
  EXPECT_TRUE(begins_with_bigint("12.5", false));
  EXPECT_FALSE(begins_with_bigint("", false));
}

}  // namespace
}  // namespace hs::adapter
