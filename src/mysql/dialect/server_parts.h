// SPDX-License-Identifier: GPL-2.0-only
// What src/in_server takes of src/mysql: its classes, by the names that src/mariadb/dialect gives to its own.
#pragma once

#include "mysql/server_headers.h"
// (before anything else)
#include "mysql/cursor.h"
#include "mysql/definition_news.h"
#include "mysql/engine.h"
#include "mysql/names.h"
#include "mysql/row_stores.h"
#include "mysql/session.h"

namespace hs {

using SqlCursor = mysql::MysqlCursor;
using SqlEngine = mysql::MysqlEngine;
using SqlSession = mysql::MysqlSession;

}  // namespace hs

namespace hs::in_server {

using mysql::definition_news;

}  // namespace hs::in_server
