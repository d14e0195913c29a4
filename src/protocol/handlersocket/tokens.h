// A request line as its tokens, and tokens as numbers. Used by the parser only.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

namespace hs::protocol::handlersocket {

// Walks over a line. Two adjacent TABs have an empty token between them. A TAB at the end has an
// empty token behind it. An empty line is one empty token. The tokens point into the line.
class Tokens {
 public:
  explicit Tokens(std::string_view line)
      : next_(line.empty() ? "" : line.data()), end_(next_ + line.size()) {}

  bool more() const { return next_ != nullptr; }

  // The next token; behind the last one: empty.
  std::string_view next() {
    if (next_ == nullptr) return {};
    const char* const begin = next_;
    const char* const end = token_end();
    next_ = end == end_ ? nullptr : end + 1;
    return {begin, static_cast<size_t>(end - begin)};
  }

 private:
  // Most tokens are a few bytes long: calling memchr would cost more than this loop.
  const char* token_end() const {
    constexpr size_t kShort = 16;
    const auto rest = static_cast<size_t>(end_ - next_);
    const size_t looked_at = rest < kShort ? rest : kShort;
    for (size_t i = 0; i < looked_at; ++i) {
      if (next_[i] == '\t') return next_ + i;
    }
    if (looked_at == rest) return end_;
    const void* tab = std::memchr(next_ + looked_at, '\t', rest - looked_at);
    return tab == nullptr ? end_ : static_cast<const char*>(tab);
  }

  const char* next_;  // null: no token left
  const char* const end_;
};

struct Number {
  enum class State : uint8_t { kOk, kNotDecimal, kTooLarge };
  State state = State::kOk;
  uint32_t value = 0;  // 0 unless kOk

  bool ok() const { return state == State::kOk; }
};

// Decimal digits, no sign, no blanks; an empty token is 0.
inline Number parse_number(std::string_view token) {
  uint64_t value = 0;
  for (const char c : token) {
    if (c < '0' || c > '9') return {Number::State::kNotDecimal, 0};
    value = value * 10 + static_cast<uint64_t>(c - '0');
    if (value > std::numeric_limits<uint32_t>::max()) return {Number::State::kTooLarge, 0};
  }
  return {Number::State::kOk, static_cast<uint32_t>(value)};
}

}  // namespace hs::protocol::handlersocket
