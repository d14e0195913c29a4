// SPDX-License-Identifier: GPL-2.0-only
// What the expressions of a table (defaults, generated columns) ask for that a client of ours does
// not have. The server itself has none such in CHECKs.
#pragma once

#include "mariadb/server_headers.h"

namespace hs::mariadb {

// True when the value depends on the client that asks: its account, its connection, its current
// database, its variables.
bool depends_on_client(const Virtual_column_info* expression);

// True when what a change of `table` writes may depend on that.
bool changes_depend_on_client(const TABLE* table);

}  // namespace hs::mariadb
