// SPDX-License-Identifier: GPL-2.0-only
// Finds expressions of a table (defaults, generated columns) that ask for something that a
// HandlerSocket client does not have. The server itself allows none in CHECKs.
#pragma once

#include "mariadb/server_headers.h"

namespace hs::mariadb {

// True when the value depends on the client that makes the request: its account, its connection,
// its current database, its variables.
bool depends_on_client(const Virtual_column_info* expression);

// True when what a change of `table` writes may depend on the client.
bool changes_depend_on_client(const TABLE* table);

}  // namespace hs::mariadb
