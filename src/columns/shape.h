// SPDX-License-Identifier: GPL-2.0-only
// What a table is made of, as mappings ask for it.
#pragma once

#include "server_rows.h"
// (before anything else)
#include <cstdint>

#include "mapping/tables.h"

namespace hs::columns {

// The table must have a handler. The names are empty. `definition`: see engine::Cursor::definition().
mapping::TableShape shape_of(const TABLE& table, uint64_t definition);

// Whether a new row must give the column a value.
bool has_no_default(const Field* field);

}  // namespace hs::columns
