// Whole numbers that clients send as text.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace hs::adapter {

// The number that all of the text is: digits, behind a minus where T has one. None: it is something
// else, or T does not hold it.
template <class T>
std::optional<T> whole_number(std::string_view text) {
  T number{};
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return number;
}

// The same, when it is written with digits alone and so few that an int64_t holds it in any case:
// what keys nearly always are. None says nothing.
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

// Whether the whole number that the text begins with is one of 64 bits.
bool begins_with_bigint(std::string_view text, bool is_unsigned);

}  // namespace hs::adapter
