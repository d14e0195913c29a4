#include "exec/arithmetic.h"

#include <gtest/gtest.h>

#include <random>

namespace hs::exec {
namespace {

using namespace std::string_literals;

std::string sum(std::string_view number, std::string_view amount) {
  std::string text;
  const std::optional<Amount> parsed = parse_amount(amount);
  EXPECT_TRUE(parsed) << amount;
  return parsed && add(number, *parsed, &text) ? text : "none";
}

// The signs of the number and of the sum, e.g. "+0".
std::string signs(std::string_view number, Amount amount) {
  constexpr char kNames[] = "-0+";
  std::string text;
  const std::optional<Signs> found = add(number, amount, &text);
  return found ? std::string{kNames[found->before + 1], kNames[found->after + 1]} : "none";
}

TEST(Amount, IsAnIntegerAndNothingElse) {
  const auto text = [](std::string_view token) {
    const std::optional<Amount> amount = parse_amount(token);
    if (!amount) return "none"s;
    return (amount->negative ? "-" : "") + std::to_string(amount->magnitude);
  };
  EXPECT_EQ(text("0"), "0");
  EXPECT_EQ(text("+5"), "5");
  EXPECT_EQ(text("-5"), "-5");
  EXPECT_EQ(text("-0"), "-0");
  EXPECT_EQ(text("007"), "7");
  EXPECT_EQ(text(std::string(1000, '0') + "9"), "9");
  EXPECT_EQ(text("9223372036854775808"), "9223372036854775808");
  EXPECT_EQ(text("18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(text("-9223372036854775808"), "-9223372036854775808");
  for (const std::string& bad : {""s,
                                 "+"s,
                                 "-"s,
                                 "x"s,
                                 "1x"s,
                                 "x1"s,
                                 "1.0"s,
                                 "1."s,
                                 "1e2"s,
                                 " 1"s,
                                 "1 "s,
                                 "++1"s,
                                 "+-1"s,
                                 "-+1"s,
                                 "0x1"s,
                                 "1,000"s,
                                 "\0"s,
                                 "1\0"s,
                                 "\xef\xbc\x91"s,
                                 "18446744073709551616"s,
                                 "+18446744073709551616"s,
                                 "-9223372036854775809"s,
                                 "-18446744073709551615"s,
                                 "99999999999999999999999999"s}) {
    EXPECT_EQ(text(bad), "none") << bad;
  }
}

TEST(Add, WorksOnIntegersOfAnySize) {
  EXPECT_EQ(sum("0", "0"), "0");
  EXPECT_EQ(sum("1", "2"), "3");
  EXPECT_EQ(sum("1", "-2"), "-1");
  EXPECT_EQ(sum("-1", "2"), "1");
  EXPECT_EQ(sum("-1", "-2"), "-3");
  EXPECT_EQ(sum("-1", "1"), "0");
  EXPECT_EQ(sum("99", "1"), "100");
  EXPECT_EQ(sum("-100", "1"), "-99");
  EXPECT_EQ(sum("1000", "-1"), "999");
  EXPECT_EQ(sum("9223372036854775807", "1"), "9223372036854775808");
  EXPECT_EQ(sum("-9223372036854775808", "-9223372036854775808"), "-18446744073709551616");
  EXPECT_EQ(sum("18446744073709551615", "18446744073709551615"), "36893488147419103230");
  EXPECT_EQ(sum("18446744073709551616", "-1"), "18446744073709551615");
  EXPECT_EQ(sum(std::string(65, '9'), "1"), "1" + std::string(65, '0'));
  EXPECT_EQ(sum("1" + std::string(65, '0'), "-1"), std::string(65, '9'));
}

TEST(Add, DropsWhatSaysNothing) {
  EXPECT_EQ(sum("+5", "1"), "6");
  EXPECT_EQ(sum("000042", "1"), "43");
  EXPECT_EQ(sum("-007", "0"), "-7");
  EXPECT_EQ(sum("-0", "0"), "0");
  EXPECT_EQ(sum("0", "-0"), "0");
  EXPECT_EQ(sum("-0", "-0"), "0");
  EXPECT_EQ(sum("-0.00", "0"), "0.00");
  EXPECT_EQ(sum("00.5", "1"), "1.5");
}

TEST(Add, KeepsTheDigitsBehindThePoint) {
  EXPECT_EQ(sum("1.50", "1"), "2.50");
  EXPECT_EQ(sum("-0.25", "1"), "0.75");
  EXPECT_EQ(sum("0.25", "-1"), "-0.75");
  EXPECT_EQ(sum("-0.25", "-1"), "-1.25");
  EXPECT_EQ(sum("0.05", "0"), "0.05");
  EXPECT_EQ(sum("9.99", "1"), "10.99");
  EXPECT_EQ(sum("10.01", "-10"), "0.01");
  EXPECT_EQ(sum("1.00", "-1"), "0.00");
  EXPECT_EQ(sum("0.1", "18446744073709551615"), "18446744073709551615.1");
  EXPECT_EQ(sum("0." + std::string(29, '0') + "1", "-1"), "-0." + std::string(30, '9'));
}

TEST(Add, RefusesWhatIsNoNumber) {
  for (const std::string& bad :
       {""s,     " "s,    "+"s,          "-"s,        "."s,  "1."s,  ".5"s,  "-.5"s, "1.2.3"s,
        "1.-2"s, "--1"s,  "1e5"s,        "1.5e-7"s,   "x"s,  "1x"s,  " 1"s,  "1 "s,  "inf"s,
        "nan"s,  "0x10"s, "2024-01-01"s, "10:00:00"s, "\0"s, "1\0"s, "1,5"s, "\xb2"s}) {
    std::string text = "before";
    EXPECT_FALSE(add(bad, {false, 1}, &text)) << bad;
    EXPECT_EQ(text, "before");
  }
}

TEST(Add, BoundsTheDigitsButNotTheZerosInFront) {
  const std::string longest(kMaxDigits, '9');
  EXPECT_EQ(sum(longest, "1"), "1" + std::string(kMaxDigits, '0'));
  EXPECT_EQ(sum("-00" + longest, "-1"), "-1" + std::string(kMaxDigits, '0'));
  EXPECT_EQ(sum("9" + longest, "1"), "none");
  EXPECT_EQ(sum("1." + longest.substr(1), "1"), "2." + longest.substr(1));
  EXPECT_EQ(sum("1." + longest, "1"), "none");
  EXPECT_EQ(sum("0." + longest, "18446744073709551615"), "18446744073709551615." + longest);
  EXPECT_EQ(sum("-0." + longest, "-9223372036854775808"), "-9223372036854775808." + longest);
  EXPECT_EQ(sum("0.0" + longest, "1"), "none");
  EXPECT_EQ(sum(std::string(100000, '0') + "1", "1"), "2");
}

TEST(Add, AppendsAndTellsTheSigns) {
  std::string text = "a";
  ASSERT_TRUE(add("1", {false, 1}, &text));
  ASSERT_TRUE(add("2.5", {true, 4}, &text));
  EXPECT_EQ(text, "a2-1.5");
  ASSERT_TRUE(add(std::string_view(text).substr(2), {false, 100}, &text));
  EXPECT_EQ(text, "a2-1.598.5");
  EXPECT_EQ(signs("5", {true, 4}), "++");
  EXPECT_EQ(signs("5", {true, 5}), "+0");
  EXPECT_EQ(signs("5", {true, 6}), "+-");
  EXPECT_EQ(signs("-5", {false, 6}), "-+");
  EXPECT_EQ(signs("-5", {false, 5}), "-0");
  EXPECT_EQ(signs("-0.5", {false, 1}), "-+");
  EXPECT_EQ(signs("-0.0", {true, 1}), "0-");
  EXPECT_EQ(signs("0", {false, 1}), "0+");
  EXPECT_EQ(signs("0", {true, 0}), "00");
  EXPECT_TRUE((Signs{1, -1}.cross_zero()));
  EXPECT_TRUE((Signs{-1, 1}.cross_zero()));
  for (int sign : {-1, 0, 1}) {
    EXPECT_FALSE((Signs{sign, sign}.cross_zero()));
    EXPECT_FALSE((Signs{sign, 0}.cross_zero()));
    EXPECT_FALSE((Signs{0, sign}.cross_zero()));
  }
}

TEST(DecimalAmount, HasAPointAndAnExponent) {
  const auto sum_of = [](std::string_view number, std::string_view amount) {
    const std::optional<Amount> parsed = parse_decimal_amount(amount);
    std::string sum;
    return parsed && add(number, *parsed, &sum) ? sum : "none";
  };
  EXPECT_EQ(sum_of("1", "0.5"), "1.5");
  EXPECT_EQ(sum_of("1.25", "-1.255"), "-0.005");
  EXPECT_EQ(sum_of("1.25", "1e2"), "101.25");
  EXPECT_EQ(sum_of("1.25", "15e-1"), "2.75");
  EXPECT_EQ(sum_of("1.25", "+1.50E+0"), "2.75");
  EXPECT_EQ(sum_of("0.00", "-0.000"), "0.00");
  EXPECT_EQ(sum_of("12345678901234567890123456789012345.123456789012345678901234567890", "0.1"),
            "12345678901234567890123456789012345.223456789012345678901234567890");
  EXPECT_EQ(sum_of("1", "1e-40"), "1." + std::string(39, '0') + "1");
  for (const char* wrong :
       {"", ".", "-", "1.2.3", "1e", "1e+-2", "e5", "0x10", " 1", "1 ", "nan", "inf", "1e101",
        "1e-101", "99999999999999999999", "1e99999999999999999999"}) {
    EXPECT_EQ(sum_of("1", wrong), "none") << wrong;
  }
}

std::string text_of(__int128 number, size_t scale) {
  const bool negative = number < 0;
  std::string digits;
  for (; number != 0; number /= 10) {
    digits.insert(digits.begin(), static_cast<char>('0' + (negative ? -1 : 1) * (number % 10)));
  }
  if (digits.size() <= scale) digits.insert(0, scale + 1 - digits.size(), '0');
  if (scale > 0) digits.insert(digits.size() - scale, ".");
  return negative ? "-" + digits : digits;
}

// Against the machine's own arithmetic.
TEST(Add, IsExact) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 3000; ++round) {
    const size_t scale = random() % 8;
    const auto number = static_cast<int64_t>(random()) >> random() % 64;
    const auto amount = static_cast<int64_t>(random()) >> random() % 64;
    __int128 result = amount;
    for (size_t i = 0; i < scale; ++i) result *= 10;
    result += number;
    EXPECT_EQ(sum(text_of(number, scale), std::to_string(amount)), text_of(result, scale))
        << text_of(number, scale) << " + " << amount;
  }
}

}  // namespace
}  // namespace hs::exec
