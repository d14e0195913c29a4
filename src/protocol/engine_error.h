// What clients that know no numbers of storage engines are told of their errors.
#pragma once

#include <string_view>

#include "base/result.h"

namespace hs::protocol {

// Why the engine refuses a change, by its number (HA_ERR_… of the server's my_base.h). Empty: a number that the
// user can do nothing about, or that each front end words as its own.
inline std::string_view engine_error_text(const Error& error) {
  if (error.code != ErrorCode::kEngine) return {};
  switch (error.number) {
    case 135:
      return "the table is full";
    case 139:
      return "the row is too large for the storage engine";
    case 151:
      return "the row that a foreign key refers to is not there";
    case 152:
      return "another row refers to this one by a foreign key";
    case 160:
      return "the table has no partition for the row";
    case 165:
      return "the table is read-only";
    case 167:
      return "the AUTO_INCREMENT counter is at its end";
    default:
      return {};
  }
}

}  // namespace hs::protocol
