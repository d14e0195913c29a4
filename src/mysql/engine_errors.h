// SPDX-License-Identifier: GPL-2.0-only
// The numbers of the storage engine's errors as clients know them, which are those of MariaDB.
#pragma once

#include "mysql/server_headers.h"

namespace hs::mysql {

// Whether a write has failed because a row with the same value in a unique index is there.
inline bool is_duplicate(int error) {
  return error == HA_ERR_FOUND_DUPP_KEY || error == HA_ERR_FOUND_DUPP_UNIQUE;
}

// Whether a row was not found by its place because it was deleted.
inline bool is_gone(int error) {
  return error == HA_ERR_RECORD_DELETED || error == HA_ERR_KEY_NOT_FOUND ||
         error == HA_ERR_END_OF_FILE;
}

// Up to HA_ERR_TABLE_READONLY (161) both servers have the same numbers.
int number_on_the_wire(int number);

}  // namespace hs::mysql
