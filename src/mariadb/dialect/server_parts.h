// SPDX-License-Identifier: GPL-2.0-only
// What src/in_server takes of src/mariadb: its classes, by the names that src/mysql/dialect gives to its own.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include "mariadb/cursor.h"
#include "mariadb/definition_news.h"
#include "mariadb/engine.h"
#include "mariadb/purge.h"
#include "mariadb/row_stores.h"
#include "mariadb/session.h"
#include "mariadb/tls.h"

namespace hs {

using SqlCursor = mariadb::MariaCursor;
using SqlEngine = mariadb::MariaEngine;
using SqlSession = mariadb::MariaSession;

}  // namespace hs

namespace hs::in_server {

using mariadb::definition_news;
using mariadb::is_base_table;
using mariadb::reason_to_leave_rows;
using mariadb::server_tls;

}  // namespace hs::in_server
