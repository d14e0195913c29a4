// SPDX-License-Identifier: GPL-2.0-only
// What is known of the storage engines. Of a table with partitions it is that of its partitions.
#pragma once

#include "mariadb/server_headers.h"

namespace hs::mariadb {

// Whether tables of the engine are read and written without a statement of SQL. Others look at its
// parse tree and crash where there is none (Mroonga), give other rows for ranges than they should
// (CONNECT), or need the SQL layer to open their parts (MERGE).
bool is_served(const handler* file);

// Whether it is one of those that are built into the server and keep rows. They tell the server when
// they wait, compare keys by themselves, and keep no rows back.
bool is_of_server(const handler* file);

// Whether it has its rows on other servers (FEDERATED, Spider), so that each call may wait for them.
bool is_remote(const handler* file);

// Spider makes the statements for its servers from the handler's calls if the server executes a HANDLER,
// else from the parse tree. It knows no limit then, and fetches all rows of a range.
bool is_spider(const handler* file);

}  // namespace hs::mariadb
