// Dates and times as text.
#pragma once

#include <cstddef>
#include <string_view>

namespace hs::adapter {

struct DateTime {
  unsigned year = 0;  // at most 9999; of a larger number the last four digits are written
  unsigned month = 0, day = 0, hour = 0, minute = 0, second = 0;
};

// Characters of a date and time, which reads `2026-01-02 03:04:05`.
inline constexpr size_t kDateTimeSize = 19;
// Writes that many characters, and returns their end.
char* put_date_time(char* out, const DateTime& time);

// Whether the text of a time has digits behind its microseconds that are not 0. No column keeps them.
bool has_more_digits_than_a_microsecond(std::string_view text);

}  // namespace hs::adapter
