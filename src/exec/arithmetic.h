// Counting on numbers in the form of text, exactly and in decimal: what `+` and `-` do to a column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hs::exec {

// A number with more digits is not counted on, zeros in front not included. DECIMAL has up to 65.
inline constexpr size_t kMaxDigits = 100;

// The amount to add: -2^63 .. 2^64-1, or the negative of such a number, with the point so many digits
// further left.
struct Amount {
  bool negative = false;
  uint64_t magnitude = 0;
  uint32_t scale = 0;
};

// The nearest DOUBLE of an integer, which is what SQL makes of one that it adds to a DOUBLE.
inline double to_real(Amount amount) {
  const auto magnitude = static_cast<double>(amount.magnitude);
  return amount.negative ? -magnitude : magnitude;
}

// An optional sign and digits, and nothing else. Empty: the text is not that, or is out of range.
std::optional<Amount> parse_amount(std::string_view text);

// The same with a point and an exponent, and at most kMaxDigits digits behind the point. Zeros at the
// end of the fraction do not count.
std::optional<Amount> parse_decimal_amount(std::string_view text);

// -1, 0 or 1 for a number below, at or above zero.
struct Signs {
  int before = 0;
  int after = 0;

  bool cross_zero() const { return before * after < 0; }
};

// Appends `number` + `amount` to *sum, with as many digits behind the point as the one of them that has
// more.
// `number` is an optional sign and digits, and maybe a point with further digits; it may be a part
// of *sum. Exact: no digit is lost. Empty, and nothing appended: `number` is not that, or has more
// than kMaxDigits.
std::optional<Signs> add(std::string_view number, Amount amount, std::string* sum);

}  // namespace hs::exec
