// The words of a line, and lines that refuse one.
#pragma once

#include <algorithm>
#include <charconv>
#include <string_view>

namespace hs::protocol::memcached {

inline constexpr std::string_view kLineEnd = "\r\n";
inline constexpr std::string_view kUnknown = "ERROR";
inline constexpr std::string_view kBadLine = "CLIENT_ERROR bad command line format";
inline constexpr std::string_view kBadData = "CLIENT_ERROR bad data chunk";

// With one or more blanks between two of them.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}
  // Empty: there is none left.
  std::string_view next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size()));
    const std::string_view word = rest_.substr(0, rest_.find(' '));
    rest_.remove_prefix(word.size());
    return word;
  }

 private:
  std::string_view rest_;
};

// The whole word, which may have a plus in front. False: it is no number of this kind.
template <class Number>
bool read_number(std::string_view word, Number* number) {
  if (word.size() > 1 && word.front() == '+' && word[1] != '-') word.remove_prefix(1);
  const char* const end = word.data() + word.size();
  const auto [at, error] = std::from_chars(word.data(), end, *number);
  return error == std::errc() && at == end && !word.empty();
}

}  // namespace hs::protocol::memcached
