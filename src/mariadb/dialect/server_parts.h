// SPDX-License-Identifier: GPL-2.0-only
// What src/in_server takes of src/mariadb: its classes, by the names that src/mysql/dialect gives to its own.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include "mariadb/cursor.h"
#include "mariadb/definition_news.h"
#include "mariadb/engine.h"
#include "mariadb/names.h"
#include "mariadb/row_stores.h"
#include "mariadb/session.h"

namespace hs {

using SqlCursor = mariadb::MariaCursor;
using SqlEngine = mariadb::MariaEngine;
using SqlSession = mariadb::MariaSession;

}  // namespace hs

namespace hs::in_server {

using mariadb::definition_news;

}  // namespace hs::in_server
