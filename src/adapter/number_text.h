// Whole numbers that clients send as text.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace hs::adapter {

// The number that the whole text is: digits, behind a minus if T has a sign. None: the text is
// something else, or T does not hold the number.
template <class T>
std::optional<T> whole_number(std::string_view text) {
  T number{};
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return number;
}

// The same for a text of digits alone, so few that an int64_t holds them in any case. Nearly every
// key is one. None: the text is not like that, but may be a number all the same.
inline std::optional<int64_t> short_number(std::string_view text) {
  constexpr size_t kMostDigits = 18;
  if (text.empty() || text.size() > kMostDigits) return std::nullopt;
  int64_t number = 0;
  for (const char c : text) {
    const unsigned digit = static_cast<unsigned char>(c) - unsigned{'0'};
    if (digit > 9) return std::nullopt;
    number = number * 10 + digit;
  }
  return number;
}

// Whether the whole number that the text begins with fits into 64 bits.
bool begins_with_bigint(std::string_view text, bool is_unsigned);

}  // namespace hs::adapter
