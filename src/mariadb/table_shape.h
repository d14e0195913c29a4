// SPDX-License-Identifier: GPL-2.0-only
// What a table is made of, as mappings ask for it.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <cstdint>

#include "mapping/tables.h"

namespace hs::mariadb {

// See engine::Cursor::definition().
uint64_t definition_of(const TABLE_SHARE& share);

// The table must have a handler. The names are empty.
mapping::TableShape shape_of(const TABLE& table);

}  // namespace hs::mariadb
