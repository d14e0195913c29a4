// What clients are told when an account may not do something.
#pragma once

#include <string_view>

#include "base/result.h"

namespace hs::protocol {

// Whether the account has the privilege, but has used up its MAX_QUERIES_PER_HOUR or MAX_UPDATES_PER_HOUR.
inline bool is_account_limit(const Error& error) {
  constexpr int kUserLimitReached = 1226;
  return error.code == ErrorCode::kAccessDenied && error.number == kUserLimitReached;
}

inline std::string_view denied_text(const Error& error) {
  return is_account_limit(error) ? "the account has reached a limit of its own"
                                 : "the account has no privilege for this";
}

}  // namespace hs::protocol
