// SPDX-License-Identifier: GPL-2.0-only
// What the engine's errors say of rows.
#pragma once

#include "server_words.h"

namespace hs::in_server {

// Whether a write has failed because a row with the same value in a unique index is there.
inline bool is_duplicate(int error) {
  return error == HA_ERR_FOUND_DUPP_KEY || error == HA_ERR_FOUND_DUPP_UNIQUE;
}

// Whether a row was not found by its place because it was deleted.
inline bool is_gone(int error) {
  return error == HA_ERR_RECORD_DELETED || error == HA_ERR_KEY_NOT_FOUND ||
         error == HA_ERR_END_OF_FILE;
}

}  // namespace hs::in_server
