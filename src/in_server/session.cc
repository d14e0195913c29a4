// SPDX-License-Identifier: GPL-2.0-only
// What the sessions of all servers do in the same words, between the calls that their adapters make.
#include "server_parts.h"
// (before anything else)
#include <initializer_list>
#include <string>
#include <utility>

namespace hs {

enum_sql_command SqlSession::command_of(engine::Access access) {
  switch (access) {
    case engine::Access::kInsert:
    case engine::Access::kInsertIgnore:
    case engine::Access::kUpsert:
      return SQLCOM_INSERT;
    case engine::Access::kReplace:
      return SQLCOM_REPLACE;
    case engine::Access::kUpdate:
      return SQLCOM_UPDATE;
    case engine::Access::kDelete:
      return SQLCOM_DELETE;
    case engine::Access::kRead:
      break;
  }
  return SQLCOM_SELECT;
}

// The client gets one error for all waits in vain, whatever the session waited for.
Error SqlSession::take_lock_error() {
  Error error = take_error(0);
  const bool of_server = error.code == ErrorCode::kSql &&
                         (error.number == ER_LOCK_WAIT_TIMEOUT || error.number == ER_LOCK_DEADLOCK);
  // MySQL's session ends a wait for a table's lock as it ends one for a row's.
  const bool is_refused_wait =
      error.code == ErrorCode::kEngine && error.number == Error::kLockWaitTimeout;
  if (of_server || is_refused_wait) error = Error{ErrorCode::kLockTables, 0, {}};
  return error;
}

// --- cursors and tables ---

Result<void> SqlSession::open(const engine::IndexSpecPtr& spec) {
  auto opened = cursor(spec);
  if (!opened) return opened.error();
  return {};
}

bool SqlSession::is_open(const engine::IndexSpecPtr& spec) const {
  return cursors_.find_open(spec) != nullptr;
}

bool SqlSession::can_undo(const engine::IndexSpecPtr& spec) const {
  const SqlCursor* const cursor = cursors_.find_open(spec);
  return cursor == nullptr || cursor->can_undo();
}

// Before a table is opened. Ends what was only read, since a session should hold neither row locks
// of finds nor a view of the data while it waits for a table. An older view could also not see what
// has happened to the table since.
Result<void> SqlSession::prepare_to_open() {
  const bool keeps_locks = transaction_.is_block() || transaction_.has_changes() ||
                           (keeps_locks_ && transaction_.is_open());
  if (!keeps_locks) (void)commit();
  if (cursors_.open().empty() && !transaction_.is_open()) server_.take_settings();
  if (!close_statement()) {
    transaction_.lose();
    return take_error(0);
  }
  // The session must not hold other tables while it waits for one, nor too many at any time. But those
  // that it has changed stay: a command that changes several opens the rest in the middle.
  if (!keeps_locks && (lock_waits().may_wait() ||
                       (cursors_.open().size() >= most_open_cursors() && !transaction_.is_open())))
    give_back_tables();
  return {};
}

// Before definitions are read, in whatever statement.
Result<void> SqlSession::prepare_to_describe() {
  if (should_stop()) return ErrorCode::kShutdown;
  // What was only read is final. Tables are given back, since a long list would hold them.
  if (!transaction_.has_changes()) give_back_tables();
  if (!close_statement()) {
    transaction_.lose();
    return take_error(0);
  }
  if (!transaction_.is_open()) {
    forget_kill();
    server_.take_settings();
  }
  return {};
}

Result<mapping::TableShape> SqlSession::shape(std::string_view database_name,
                                              std::string_view table_name) {
  lock_waits().forget_refused();
  struct End {
    SqlSession& session;
    ~End() { session.take_back_if_repeated(); }
  } const end{*this};
  const std::string database = filed_name(std::string(database_name));
  const std::string table = filed_name(std::string(table_name));
  for (const std::string_view name :
       std::initializer_list<std::string_view>{database_name, table_name, database, table})
    if (!is_valid_name(name)) return ErrorCode::kOpenTable;
  // What SqlCursor::open() refuses. MariaDB 11.8 has a category for them, and other servers have not.
  if (database == "mysql") return ErrorCode::kOpenTable;
  if (auto begun = begin_describe(); !begun) return std::move(begun.error());
  Result<mapping::TableShape> shape = read_shape(database, table);
  if (shape) {
    shape->database = database;
    shape->table = table;
  }
  thd_->clear_error();
  return shape;
}

bool SqlSession::sees(std::string_view database, std::string_view table) {
  if (account_ == nullptr) return true;
  const std::string filed_database = filed_name(std::string(database));
  const std::string filed_table = filed_name(std::string(table));
  if (!is_valid_name(filed_database) || !is_valid_name(filed_table)) return false;
  return privileges().sees(account_->principal(), filed_database, filed_table);
}

// --- statements ---

void SqlSession::unlock_readers() {
  for (SqlCursor* cursor : locked_cursors_) {
    cursor->unlock_read();
    bump(engine_.counters().table_unlock);
  }
  locked_cursors_.clear();
}

SqlCursor& SqlSession::statement_cursor() const {
  return static_cast<SqlCursor&>(*transaction_.statement().cursor);
}

void SqlSession::end_view() {
  if (!statement_is_view_ || !transaction_.has_statement()) return;
  if (!close_statement()) {
    transaction_.lose();
    thd_->clear_error();
  }
}

}  // namespace hs
