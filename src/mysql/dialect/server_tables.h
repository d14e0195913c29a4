// SPDX-License-Identifier: GPL-2.0-only
// What in_server/status_tables.cc asks of a server's headers, in MySQL's words. src/mariadb/dialect has the
// same in MariaDB's.
#pragma once

#include "mysql/server_headers.h"
// (before anything else)
#include "server/tables.h"
#include "sql/auth/auth_acls.h"
#include "sql/auth/auth_common.h"
#include "sql/dd/impl/transaction_impl.h"
#include "sql/dd/impl/types/schema_impl.h"
#include "sql/dd/impl/types/view_impl.h"
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

// --- when the table comes ---

// INSTALL PLUGIN writes the columns of such a table into the dictionary, and meanwhile holds a mutex that
// opening a table takes, too, unless the server has kept its definition. So the server would wait for
// itself, and all new connections for it, when the dictionary's tables were flushed (FLUSH TABLES). Opened
// here, which is before that, they are kept.
inline void before_the_table_comes() {
  THD* const thd = current_thd;
  if (thd == nullptr || thd->lex->sql_command != SQLCOM_INSTALL_PLUGIN) return;
  dd::Transaction_ro transaction(thd, ISO_READ_COMMITTED);
  transaction.otx.register_tables<dd::Schema>();
  transaction.otx.register_tables<dd::View>();
  if (transaction.otx.open_tables()) thd->clear_error();
}

// --- who reads the table ---

inline server::Viewer viewer_of(THD* thd) {
  Security_context& context = *thd->security_context();
  return {context.check_access(PROCESS_ACL), {context.priv_user().str, context.priv_user().length}};
}

}  // namespace hs::in_server
