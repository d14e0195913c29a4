// SPDX-License-Identifier: GPL-2.0-only
// What in_server/status_tables.cc asks of a server's headers, in MySQL's words. src/mariadb/dialect has the
// same in MariaDB's.
#pragma once

#include "mysql/server_headers.h"
// (before anything else)
#include "server/tables.h"
#include "sql/auth/auth_acls.h"
#include "sql/auth/auth_common.h"
#include "sql/sql_show.h"
#include "sql/tztime.h"

namespace hs::in_server {

using TableRef = Table_ref;

// --- a table's columns ---

inline ST_FIELD_INFO field_of(const server::TableColumn& column) {
  using Type = server::TableColumn::Type;
  const uint null = column.is_nullable ? MY_I_S_MAYBE_NULL : 0;
  switch (column.type) {
    case Type::kName:
      return {column.name, NAME_CHAR_LEN, MYSQL_TYPE_STRING, 0, null, nullptr, 0};
    case Type::kText:
      return {column.name, column.characters, MYSQL_TYPE_STRING, 0, null, nullptr, 0};
    case Type::kLongText:
      return {column.name, 65535, MYSQL_TYPE_STRING, 0, null, nullptr, 0};
    case Type::kMicroseconds:
      return {column.name, MAX_DOUBLE_STR_LENGTH, MYSQL_TYPE_DOUBLE, 0, null, nullptr, 0};
    case Type::kMoment:
      return {column.name, 0, MYSQL_TYPE_DATETIME, 0, null, nullptr, 0};
    case Type::kNumber:
      break;
  }
  constexpr uint kDigits = MY_INT64_NUM_DECIMAL_DIGITS;
  return {column.name, kDigits, MYSQL_TYPE_LONGLONG, 0, null | MY_I_S_UNSIGNED, nullptr, 0};
}
// Behind the last one.
inline ST_FIELD_INFO end_of_fields() { return {nullptr, 0, MYSQL_TYPE_NULL, 0, 0, nullptr, 0}; }

// --- who reads the table ---

inline server::Viewer viewer_of(THD* thd) {
  Security_context& context = *thd->security_context();
  return {context.check_access(PROCESS_ACL), {context.priv_user().str, context.priv_user().length}};
}

}  // namespace hs::in_server
