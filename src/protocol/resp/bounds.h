// Below and above all that a column can hold. What a column cannot hold is the bound of a range all the
// same.
#pragma once

#include <string>

#include "mapping/tables.h"

namespace hs::protocol::resp {

// Of a number, or of bytes.
inline std::string lowest_of(mapping::ColumnKind kind) {
  using mapping::ColumnKind;
  constexpr size_t kMostDigits = 66;
  if (kind == ColumnKind::kBinary) return "";
  return kind == ColumnKind::kReal ? "-1.7976931348623157e308"
                                   : "-" + std::string(kMostDigits, '9');
}

inline std::string highest_of(mapping::ColumnKind kind) {
  constexpr size_t kMostBytes = 4096;
  if (kind == mapping::ColumnKind::kBinary) return std::string(kMostBytes, '\xff');
  return lowest_of(kind).substr(1);
}

}  // namespace hs::protocol::resp
