// SPDX-License-Identifier: GPL-2.0-only
// What the engine's errors say of rows: that one is in the way of a write, or is gone.
#pragma once

#include "mariadb/server_headers.h"

namespace hs::mariadb {

// In handler::lookup_errkey: the server itself has refused nothing. From handler::get_dup_key(): it
// is not known which index has.
constexpr uint kNoKey = static_cast<uint>(-1);

// Whether a write has failed because a row with the same value in a unique index is there.
inline bool is_duplicate(int error) {
  return error == HA_ERR_FOUND_DUPP_KEY || error == HA_ERR_FOUND_DUPP_UNIQUE;
}

// Whether a row was not found by its place because it was deleted.
inline bool is_gone(int error) {
  return error == HA_ERR_RECORD_DELETED || error == HA_ERR_KEY_NOT_FOUND ||
         error == HA_ERR_END_OF_FILE;
}

}  // namespace hs::mariadb
