// SPDX-License-Identifier: GPL-2.0-only
// The write port's session: the calls that begin, keep and undo the statements of its transaction.
// adapter::Transaction says which calls to make, and what a failure means for earlier requests.
#include <algorithm>

#include "in_server/write_refusal.h"
#include "mysql/cursor.h"
#include "mysql/engine.h"
#include "mysql/session.h"

namespace hs::mysql {
namespace {

constexpr int kMostDeadlocksWithDdl = 20;

}  // namespace

// What the session keeps of earlier requests may be what DDL waits for that this one waits for: then it
// is given back, and the request begins again.
Result<void> MysqlSession::begin_write(MysqlCursor& cursor, engine::Access access,
                                       engine::Rows rows) {
  for (int more = kMostDeadlocksWithDdl;; --more) {
    bool is_deadlock = false;
    auto begun = try_begin_write(cursor, access, rows, &is_deadlock);
    if (begun || !is_deadlock || more == 0) return begun;
    if (transaction_.is_block() || transaction_.has_changes()) return begun;
    give_back_tables();
    if (auto opened = open_cursor(cursor.spec()); !opened) return opened.error();
  }
}

Result<void> MysqlSession::try_begin_write(MysqlCursor& cursor, engine::Access access,
                                           engine::Rows rows, bool* is_deadlock) {
  transaction_.begin_request();
  if (auto refused = in_server::refusal(access)) return *refused;
  const bool in_block = transaction_.is_block();
  const bool changes = access != engine::Access::kRead;
  if (in_block && changes && !cursor.can_undo()) return ErrorCode::kUnsupportedTable;
  const bool names_client = cursor.names_client() && engine::inserts(access);
  if (names_client && account_ == nullptr) return ErrorCode::kUnsupportedTable;
  // The server computes whom the defaults name once in a statement.
  const bool can_share =
      !in_block && rows == engine::Rows::kOne && cursor.undoes_rows() && !names_client;
  const adapter::Transaction::Statement statement{&cursor, access, can_share};
  const bool is_view = !changes && (in_block || reads_view_);
  if (is_view == statement_is_view_ && transaction_.joins(statement)) {
    if (is_view) return {};
    // Each request has its own time, and an id of its own, by which NOW() knows it.
    thd_->set_time();
    thd_->set_query_id(next_query_id());
    cursor.take_query_id();
    return {};
  }
  if (!close_statement()) {
    transaction_.lose();
    return take_error(0);
  }
  server_.begin_statement(command_of(access));
  if (!transaction_.is_open()) {
    thd_->variables.option_bits |= OPTION_BEGIN;
    thd_->server_status |= SERVER_STATUS_IN_TRANS;
    transaction_.begin();
    logged_before_ = last_used_gtid();
  }
  const TableWait wait(server_);
  std::optional<Error> error;
  if (!(is_view ? lock_for_view(cursor) : cursor.lock_for_write(access, false))) {
    *is_deadlock = thd_->is_error() && thd_->get_stmt_da()->mysql_errno() == ER_LOCK_DEADLOCK;
    error = take_lock_error();
  } else {
    error = in_server::refusal(access);  // it may have changed during FLUSH TABLES WITH READ LOCK
    if (!error && changes) error = refusal_of_triggers(cursor);
  }
  if (error) {
    cursor.unbind();
    trans_rollback_stmt(thd_);
    end_write_statement();
    decide_fate(false);
    return *error;
  }
  server_.entry().show_name();
  if (changes && !transaction_.has_changes()) can_undo_changes_ = true;
  if (changes) can_undo_changes_ &= cursor.can_undo();
  if (cursor.runs_triggers() || names_client)
    lent_.lend(account_ != nullptr ? &account_->principal() : nullptr);
  transaction_.begin_statement(statement);
  statement_is_view_ = is_view;
  if (!cursor.undoes_rows()) note_locks();
  bump(engine_.counters().table_lock);
  return {};
}

// What triggers write of a table without rollback stays, whatever becomes of the request. So such a
// request is neither part of a client's transaction nor executed again: it waits from the beginning for
// what its triggers may wait for, and has a transaction of its own.
std::optional<Error> MysqlSession::refusal_of_triggers(const MysqlCursor& cursor) {
  if (cursor.can_undo() || !cursor.runs_triggers()) return {};
  if (transaction_.is_block()) return Error{ErrorCode::kUnsupportedTable, 0, {}};
  if (lock_waits().may_wait()) return {};
  lock_waits().note_refused(adapter::LockWaits::Lock::kRow);
  return Error{ErrorCode::kLockTables, 0, {}};
}

// Outside of a block each statement sees what is committed when it begins.
bool MysqlSession::lock_for_view(MysqlCursor& cursor) {
  const enum_tx_isolation isolation = thd_->tx_isolation;
  if (!transaction_.is_block()) thd_->tx_isolation = std::min(isolation, ISO_READ_COMMITTED);
  const bool locked = cursor.lock_for_write(engine::Access::kRead, true);
  thd_->tx_isolation = isolation;
  return locked;
}

Result<void> MysqlSession::end_write() {
  // A change of such a table cannot be undone, so a KILL comes too late for it.
  if (transaction_.request_has_changes() && !statement_cursor().can_undo())
    thd_->killed = THD::NOT_KILLED;
  if (!transaction_.end_request() || close_statement()) return {};
  const Error error = take_error(0);
  (void)transaction_.decide_fate(was_rolled_back());
  return error;
}

void MysqlSession::undo_write() {
  if (transaction_.undo_request(was_rolled_back())) {
    abandon_statement();
    decide_fate(false);
  }
  thd_->clear_error();
}

// Before the open statement is kept or undone. A temporary table that a trigger has made would keep the
// statement's events in the log even when the statement is undone. It goes with the statement. That a table
// without rollback was changed is told, since the log has such changes apart, and does not compress them.
void MysqlSession::end_changes() {
  MysqlCursor& cursor = statement_cursor();
  cursor.end_statement();
  Transaction_ctx* const transaction = thd_->get_transaction();
  const bool wrote_for_good = transaction->has_modified_non_trans_table(Transaction_ctx::STMT) ||
                              (transaction_.statement_has_changes() && !cursor.can_undo());
  transaction->reset_unsafe_rollback_flags(Transaction_ctx::STMT);
  if (wrote_for_good) transaction->mark_modified_non_trans_table(Transaction_ctx::STMT);
}

// Keeps what the open statement has changed. False: it was undone, and the error is raised.
bool MysqlSession::close_statement() {
  if (!transaction_.has_statement()) return true;
  end_changes();
  const bool log_failed = thd_->binlog_flush_pending_rows_event(true) != 0;
  if (log_failed) transaction_.note_log_failure();
  const bool failed = log_failed || trans_commit_stmt(thd_);
  if (failed) trans_rollback_stmt(thd_);
  end_write_statement();
  return !failed;
}

// Undoes what the open statement has changed. Tables without rollback keep the changes.
void MysqlSession::abandon_statement() {
  if (!transaction_.has_statement()) return;
  end_changes();
  trans_rollback_stmt(thd_);
  end_write_statement();
}

// Ends the write port's statement, after its commit or rollback.
void MysqlSession::end_write_statement() {
  if (transaction_.has_statement()) {
    statement_cursor().unbind();
    bump(engine_.counters().table_unlock);
  }
  transaction_.end_statement();
  close_thread_tables(thd_);
  thd_->mdl_context.release_statement_locks();
  server_.end_statement();
  if (lent_.take_back()) server_.restore_settings();
}

// Decides what happens to the transaction after a request has failed and was undone.
// `must_roll_back`: only the whole transaction can be undone.
void MysqlSession::decide_fate(bool must_roll_back) {
  const auto fate = transaction_.decide_fate(must_roll_back || was_rolled_back());
  if (fate == adapter::Transaction::Fate::kOver) undo_transaction();
}

Result<void> MysqlSession::commit_write() {
  if (!close_statement()) {
    const Error error = take_error(0);
    undo_transaction();
    transaction_.lose();
    return error;
  }
  const bool changed = transaction_.has_changes();
  // The server does not report when it waits for other commits (group commit), so this does.
  if (changed) server_.on_wait_begin(THD_WAIT_BINLOG);
  const bool failed = changed && can_undo_changes_ ? commit_changes() : trans_commit(thd_);
  if (changed) server_.on_wait_end();
  Result<void> result;
  if (changed && in_server::log_was_switched_off()) {
    // The change may be in the tables, and may be in the log, also if the server says that it failed.
    result = in_server::log_is_off();
  } else if (failed && changed) {
    result = take_lock_error();
  } else if (changed && !last_used_gtid().equals(logged_before_)) {
    note_gtid();
  }
  if (failed) trans_rollback(thd_);
  thd_->clear_error();
  thd_->mdl_context.release_statement_locks();
  transaction_.end();
  server_.end_statement();
  return result;
}

// The server would let this session commit in any case, since it may do everything. So what forbids
// changes is looked at once more, when it cannot change any more. True: the error is raised.
bool MysqlSession::commit_changes() {
  MDL_request commit;
  MDL_REQUEST_INIT(&commit, MDL_key::COMMIT, "", "", MDL_INTENTION_EXCLUSIVE, MDL_EXPLICIT);
  if (thd_->mdl_context.acquire_lock(&commit, thd_->variables.lock_wait_timeout)) return true;
  const auto refused = in_server::refusal(engine::Access::kUpdate);
  if (refused && refused->number == Error::kReadOnlyServer) {
    my_error(ER_OPTION_PREVENTS_STATEMENT, MYF(0), "--read-only");
  } else if (refused) {
    my_message(static_cast<uint>(refused->number), refused->message.c_str(), MYF(0));
  }
  const bool failed = refused || trans_commit(thd_);
  thd_->mdl_context.release_lock(commit.ticket);
  return failed;
}

void MysqlSession::undo_transaction() {
  if (transaction_.is_open()) {
    abandon_statement();
    trans_rollback_stmt(thd_);
    trans_rollback(thd_);
    thd_->mdl_context.release_statement_locks();
    server_.end_statement();
  }
  transaction_.end();
  thd_->clear_error();
}

}  // namespace hs::mysql
