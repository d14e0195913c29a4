// SPDX-License-Identifier: GPL-2.0-only
// By what mappings tell a definition of a table from another one.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <cstdint>

namespace hs::mariadb {

// See engine::Cursor::definition().
uint64_t definition_of(const TABLE_SHARE& share);

}  // namespace hs::mariadb
