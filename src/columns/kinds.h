// SPDX-License-Identifier: GPL-2.0-only
// What kind of values a column has, for those who ask no server.
#pragma once

#include "server_dialect.h"
// (before anything else)
#include "engine/cursor.h"
#include "mapping/tables.h"

namespace hs::columns {

// TINYINT to BIGINT.
bool is_integer(const Field* field);

mapping::ColumnKind kind_of(const Field* field);

// A FLOAT without decimals is printed with six digits, and has more.
bool is_rounded(const Field* field);

// DECIMAL(9,2) and DOUBLE(9,2), whose values have two digits behind the point.
bool has_fraction(const Field* field);

engine::Cursor::Counting counting_on(const Field* field);

}  // namespace hs::columns
