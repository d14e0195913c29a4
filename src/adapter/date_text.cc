#include "adapter/date_text.h"

#include <array>
#include <cstring>

namespace hs::adapter {
namespace {

constexpr unsigned kHundred = 100;

// "00" to "99".
constexpr auto kDigits = [] {
  std::array<char, 2 * size_t{kHundred}> digits{};
  for (unsigned i = 0; i < kHundred; ++i) {
    digits[2 * size_t{i}] = static_cast<char>('0' + i / 10);
    digits[2 * size_t{i} + 1] = static_cast<char>('0' + i % 10);
  }
  return digits;
}();

// Writes two digits; `number` is below 100. Returns their end.
char* put_two(char* out, unsigned number) {
  std::memcpy(out, &kDigits[2 * size_t{number}], 2);
  return out + 2;
}

}  // namespace

char* put_date_time(char* out, const DateTime& time) {
  out = put_two(put_two(out, time.year / kHundred % kHundred), time.year % kHundred);
  *out++ = '-';
  out = put_two(out, time.month);
  *out++ = '-';
  out = put_two(out, time.day);
  *out++ = ' ';
  out = put_two(out, time.hour);
  *out++ = ':';
  out = put_two(out, time.minute);
  *out++ = ':';
  return put_two(out, time.second);
}

bool has_more_digits_than_a_microsecond(std::string_view text) {
  const size_t dot = text.rfind('.');
  if (dot == std::string_view::npos) return false;
  constexpr size_t kKept = 6;
  const std::string_view fraction = text.substr(dot + 1);
  return fraction.size() > kKept &&
         fraction.find_first_not_of("0 ", kKept) != std::string_view::npos;
}

}  // namespace hs::adapter
