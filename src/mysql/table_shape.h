// SPDX-License-Identifier: GPL-2.0-only
// By what mappings tell a definition of a table from another one.
#pragma once

#include "mysql/server_headers.h"
// (before anything else)
#include <cstdint>

namespace hs::mysql {

// See engine::Cursor::definition(): a hash of all that mappings ask for. A table that is made anew and
// just alike has the same.
uint64_t definition_of(const TABLE& table);

}  // namespace hs::mysql
