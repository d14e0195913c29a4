#include "adapter/date_text.h"

#include <gtest/gtest.h>

#include <string>

namespace hs::adapter {
namespace {

std::string text(const DateTime& time) {
  char out[kDateTimeSize];
  return {out, put_date_time(out, time)};
}

TEST(DateText, EveryPartHasItsZeros) {
  EXPECT_EQ(text({2026, 1, 2, 3, 4, 5}), "2026-01-02 03:04:05");
  EXPECT_EQ(text({}), "0000-00-00 00:00:00");
  EXPECT_EQ(text({9999, 12, 31, 23, 59, 59}), "9999-12-31 23:59:59");
}

TEST(DateText, EveryNumberOfTwoDigitsIsItself) {
  for (unsigned number = 0; number < 100; ++number) {
    const std::string digits = {static_cast<char>('0' + number / 10),
                                static_cast<char>('0' + number % 10)};
    EXPECT_EQ(text({number, 0, 0, 0, 0, number}), "00" + digits + "-00-00 00:00:" + digits);
  }
}

TEST(DateText, DigitsBehindAMicrosecondAreSeen) {
  EXPECT_TRUE(has_more_digits_than_a_microsecond("12:00:00.0000001"));
  EXPECT_FALSE(has_more_digits_than_a_microsecond("12:00:00.123456"));
  EXPECT_FALSE(has_more_digits_than_a_microsecond("12:00:00.1234560 "));
  EXPECT_FALSE(has_more_digits_than_a_microsecond("12:00:00"));
}

}  // namespace
}  // namespace hs::adapter
