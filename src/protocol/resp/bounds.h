// Below and above all that a column can hold. What a column cannot hold is the bound of a range all the
// same.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mapping/tables.h"

namespace hs::protocol::resp {

// None: it is not known what that is.
inline std::optional<std::string> lowest_of(mapping::ColumnKind kind) {
  using mapping::ColumnKind;
  constexpr size_t kMostDigits = 66;
  switch (kind) {
    case ColumnKind::kText:
      return std::string(1, '\0');  // a blank is above control characters
    case ColumnKind::kBinary:
      return "";
    case ColumnKind::kInteger:
    case ColumnKind::kDecimal:
      return "-" + std::string(kMostDigits, '9');
    case ColumnKind::kReal:
      return "-1.7976931348623157e308";
    case ColumnKind::kMoment:
      return "0000-00-00 00:00:00";
    case ColumnKind::kOther:
      break;
  }
  return std::nullopt;
}

// Of a number, or of bytes.
inline std::string highest_of(mapping::ColumnKind kind) {
  constexpr size_t kMostBytes = 4096;
  if (kind == mapping::ColumnKind::kBinary) return std::string(kMostBytes, '\xff');
  return lowest_of(kind)->substr(1);
}

}  // namespace hs::protocol::resp
