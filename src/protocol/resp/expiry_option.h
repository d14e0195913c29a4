// When a row shall expire, as EX, PX, EXAT and PXAT say it. Rows expire at whole seconds: a fraction
// is rounded up, so that no row goes too early.
#pragma once

#include <cstdint>
#include <optional>

namespace hs::protocol::resp {

struct ExpiryOption {
  enum class Unit : uint8_t { kSeconds, kMilliseconds, kAtSeconds, kAtMilliseconds };
  Unit unit = Unit::kSeconds;
  int64_t number = 0;

  bool is_past(int64_t now_ms) const {
    const bool in_seconds = unit == Unit::kSeconds || unit == Unit::kAtSeconds;
    const bool from_now = unit == Unit::kSeconds || unit == Unit::kMilliseconds;
    return number <= (from_now ? 0 : in_seconds ? now_ms / 1000 : now_ms);
  }

  // In seconds since 1970; none: it is beyond all times.
  std::optional<int64_t> at_s(int64_t now_ms) const {
    int64_t at_ms = number;
    const bool in_seconds = unit == Unit::kSeconds || unit == Unit::kAtSeconds;
    if (in_seconds && __builtin_mul_overflow(at_ms, int64_t{1000}, &at_ms)) return std::nullopt;
    const bool from_now = unit == Unit::kSeconds || unit == Unit::kMilliseconds;
    if (from_now && __builtin_add_overflow(at_ms, now_ms, &at_ms)) return std::nullopt;
    return at_ms / 1000 + (at_ms % 1000 > 0 ? 1 : 0);
  }
};

}  // namespace hs::protocol::resp
