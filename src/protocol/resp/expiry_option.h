// When a row shall expire, as EX, PX, EXAT and PXAT say it. Rows expire at whole seconds: a fraction
// is rounded up, so that no row goes too early.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/resp/command.h"

namespace hs::protocol::resp {

inline constexpr std::string_view kNoExpiry =
    "ERR the table has no column by which its rows expire (ttl= in its COMMENT)";

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

// A command that may be given when its row expires.
class ExpiringCommand : public OneKeyCommand {
 protected:
  void forget_expiry() { given_.reset(); }
  bool has_expiry() const { return given_.has_value(); }
  void give_expiry(ExpiryOption::Unit unit, size_t at) { given_ = {unit, at}; }
  // EX, PX, EXAT or PXAT, and the number behind it, at which `at` is then. The same word may be there
  // twice, and the later number counts. False: it is none of these, or another than before.
  bool take_expiry_word(size_t& at);
  // The number of what was given, which must be positive. None: refused.
  std::optional<ExpiryOption> take_expiry();
  void refuse_expiry();

 private:
  struct Given {
    ExpiryOption::Unit unit;
    size_t at;  // of its number
  };
  std::optional<Given> given_;
};

}  // namespace hs::protocol::resp
