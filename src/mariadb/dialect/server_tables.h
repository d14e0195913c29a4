// SPDX-License-Identifier: GPL-2.0-only
// What in_server/status_tables.cc asks of a server's headers, in MariaDB's words. src/mysql/dialect has the
// same in MySQL's.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <sql_acl.h>
#include <sql_i_s.h>
#include <tztime.h>

#include "server/tables.h"

namespace hs::in_server {

using TableRef = TABLE_LIST;

// --- a table's columns ---

inline Show::Type type_of(const server::TableColumn& column) {
  using Type = server::TableColumn::Type;
  switch (column.type) {
    case Type::kName:
      return Show::Name();
    case Type::kText:
      return Show::Varchar(column.characters);
    case Type::kLongText:
      return Show::Longtext(65535);
    case Type::kMicroseconds:
      return Show::Double(MAX_DOUBLE_STR_LENGTH);
    case Type::kMoment:
      return Show::Datetime(0);
    case Type::kNumber:
      break;
  }
  return Show::ULonglong();
}
inline ST_FIELD_INFO field_of(const server::TableColumn& column) {
  return Show::Column(column.name, type_of(column), column.is_nullable ? NULLABLE : NOT_NULL);
}
// Behind the last one.
inline ST_FIELD_INFO end_of_fields() { return Show::CEnd(); }

// --- when the table comes ---

inline void before_the_table_comes() {}

// --- who reads the table ---

inline server::Viewer viewer_of(THD* thd) {
  return {!check_global_access(thd, PROCESS_ACL, true), thd->security_ctx->priv_user};
}

}  // namespace hs::in_server
