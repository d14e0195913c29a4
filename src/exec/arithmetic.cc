#include "exec/arithmetic.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace hs::exec {
namespace {

constexpr size_t kAmountDigits = std::numeric_limits<uint64_t>::digits10 + 1;

bool take_sign(std::string_view* text) {
  if (text->empty() || (text->front() != '-' && text->front() != '+')) return false;
  const bool negative = text->front() == '-';
  text->remove_prefix(1);
  return negative;
}

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// A number without its sign: decimal digits from the last to the first, with zeros behind `size`.
// Has room for an amount in front of the longest fraction, and for a carry.
struct Magnitude {
  std::array<uint8_t, kMaxDigits + kAmountDigits + 1> digits{};
  size_t size = 0;

  void push(unsigned digit) { digits[size++] = static_cast<uint8_t>(digit); }
  bool is_zero() const {
    return std::all_of(digits.begin(), digits.end(), [](uint8_t digit) { return digit == 0; });
  }
  bool operator<(const Magnitude& other) const {
    return std::lexicographical_compare(digits.rbegin(), digits.rend(), other.digits.rbegin(),
                                        other.digits.rend());
  }
};

Magnitude plus(const Magnitude& a, const Magnitude& b) {
  Magnitude sum;
  unsigned carry = 0;
  for (size_t i = 0; i < std::max(a.size, b.size) || carry; ++i) {
    const unsigned digit = a.digits[i] + b.digits[i] + carry;
    sum.push(digit % 10);
    carry = digit / 10;
  }
  return sum;
}

// a - b, which must not be below zero.
Magnitude minus(const Magnitude& a, const Magnitude& b) {
  Magnitude difference;
  unsigned borrow = 0;
  for (size_t i = 0; i < std::max(a.size, b.size); ++i) {
    const unsigned digit = 10u + a.digits[i] - b.digits[i] - borrow;
    difference.push(digit % 10);
    borrow = digit < 10 ? 1 : 0;
  }
  return difference;
}

int sign_of(bool negative, const Magnitude& magnitude) {
  if (magnitude.is_zero()) return 0;
  return negative ? -1 : 1;
}

// Appends the number with `scale` digits behind the point and at least one in front of it.
void append(int sign, const Magnitude& magnitude, size_t scale, std::string* text) {
  size_t size = magnitude.size;
  while (size > 0 && magnitude.digits[size - 1] == 0) --size;
  if (sign < 0) *text += '-';
  for (size_t i = std::max(size, scale + 1); i-- > 0;) {
    *text += static_cast<char>('0' + magnitude.digits[i]);
    if (i == scale && scale > 0) *text += '.';
  }
}

}  // namespace

std::optional<Amount> parse_amount(std::string_view text) {
  Amount amount;
  amount.negative = take_sign(&text);
  if (!all_digits(text)) return std::nullopt;
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data(), end, amount.magnitude).ec != std::errc()) return std::nullopt;
  if (amount.negative && amount.magnitude > uint64_t{1} << 63) return std::nullopt;
  return amount;
}

std::optional<Amount> parse_decimal_amount(std::string_view text) {
  const size_t mark = text.find_first_of("eE");
  int64_t exponent = 0;
  if (mark != std::string_view::npos) {
    std::string_view shown = text.substr(mark + 1);
    if (shown.starts_with('+') && !shown.starts_with("+-")) shown.remove_prefix(1);
    const char* const end = shown.data() + shown.size();
    const auto read = std::from_chars(shown.data(), end, exponent);
    if (shown.empty() || read.ec != std::errc() || read.ptr != end) return std::nullopt;
    text = text.substr(0, mark);
  }
  Amount amount;
  amount.negative = take_sign(&text);
  const size_t point = text.find('.');
  std::string digits(text.substr(0, point));
  size_t fraction = 0;
  if (point != std::string_view::npos) {
    std::string_view behind = text.substr(point + 1);
    digits += behind;
    fraction = behind.size();
  }
  if (!all_digits(digits)) return std::nullopt;
  for (; fraction > 0 && digits.size() > 1 && digits.back() == '0'; --fraction) digits.pop_back();
  constexpr int64_t kMost = kMaxDigits;
  if (exponent < -kMost || exponent > kMost || fraction > kMaxDigits) return std::nullopt;
  auto scale = static_cast<int64_t>(fraction) - exponent;
  for (; scale < 0 && digits.size() <= kMaxDigits; ++scale) digits += '0';
  if (scale < 0 || scale > kMost) return std::nullopt;
  const char* const end = digits.data() + digits.size();
  if (std::from_chars(digits.data(), end, amount.magnitude).ec != std::errc()) return std::nullopt;
  amount.scale = static_cast<uint32_t>(scale);
  return amount;
}

std::optional<Signs> add(std::string_view number, Amount amount, std::string* sum) {
  const bool negative = take_sign(&number);
  const size_t point = number.find('.');
  std::string_view whole = number.substr(0, point);
  std::string_view fraction;
  if (!all_digits(whole)) return std::nullopt;
  if (point != std::string_view::npos) {
    fraction = number.substr(point + 1);
    if (!all_digits(fraction)) return std::nullopt;
  }
  whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
  const size_t scale = std::max(fraction.size(), size_t{amount.scale});
  if (whole.size() > kMaxDigits || scale > kMaxDigits - whole.size()) return std::nullopt;

  Magnitude old;
  old.size = scale - fraction.size();
  for (const std::string_view part : {fraction, whole}) {
    for (size_t i = part.size(); i-- > 0;) old.push(static_cast<unsigned>(part[i] - '0'));
  }
  Magnitude added;
  added.size = scale - amount.scale;
  for (uint64_t rest = amount.magnitude; rest > 0; rest /= 10) {
    added.push(static_cast<unsigned>(rest % 10));
  }

  const bool grows = negative == amount.negative;
  const bool turns = !grows && old < added;
  const Magnitude result = grows ? plus(old, added) : turns ? minus(added, old) : minus(old, added);
  const Signs signs{sign_of(negative, old), sign_of(negative != turns, result)};
  append(signs.after, result, scale, sum);
  return signs;
}

}  // namespace hs::exec
