// SPDX-License-Identifier: GPL-2.0-only
// What a write says that a unique index has refused.
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

}  // namespace hs::mariadb
