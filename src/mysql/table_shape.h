// SPDX-License-Identifier: GPL-2.0-only
// What a table is made of, as mappings ask for it.
#pragma once

#include "mysql/server_headers.h"
// (before anything else)
#include <cstdint>

#include "mapping/tables.h"

namespace hs::mysql {

// See engine::Cursor::definition(): a hash of all that mappings ask for. A table that is made anew and
// just alike has the same.
uint64_t definition_of(const TABLE& table);

// The names are empty.
mapping::TableShape shape_of(const TABLE& table);

}  // namespace hs::mysql
