// What clients that know no numbers of storage engines are told of a foreign key.
#pragma once

#include <string_view>

#include "base/result.h"

namespace hs::protocol {

// Why it forbids a change. Empty: the error is about something else.
inline std::string_view foreign_key_text(const Error& error) {
  constexpr int kNoReferencedRow = 151, kRowIsReferenced = 152;
  if (error.code != ErrorCode::kEngine) return {};
  if (error.number == kNoReferencedRow) return "the row that a foreign key refers to is not there";
  if (error.number == kRowIsReferenced) return "another row refers to this one by a foreign key";
  return {};
}

}  // namespace hs::protocol
