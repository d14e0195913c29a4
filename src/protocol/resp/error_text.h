// What a client is told when something fails: Redis' own words where Redis has the same situation.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace hs::protocol::resp {

inline constexpr std::string_view kSyntax = "ERR syntax error";
inline constexpr std::string_view kNotAnInteger = "ERR value is not an integer or out of range";
inline constexpr std::string_view kNoCursor = "ERR invalid cursor";
inline constexpr std::string_view kNotAFloat = "ERR value is not a valid float";
inline constexpr std::string_view kNoAuth = "NOAUTH Authentication required.";
inline constexpr std::string_view kWrongPass =
    "WRONGPASS invalid username-password pair or user is disabled.";

// Another row has the same value in a unique index.
inline bool is_duplicate(const Error& error) {
  return error.code == ErrorCode::kEngine && error.number == Error::kDuplicateKey;
}

// One line, without the mark in front.
std::string text_of(const Error& error);

}  // namespace hs::protocol::resp
