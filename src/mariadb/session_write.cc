// SPDX-License-Identifier: GPL-2.0-only
// The write port's session: the calls that begin, keep and undo the statements of its transaction.
// adapter::Transaction says which calls to make, and what a failure means for earlier requests.
#include "adapter/variables.h"
#include "in_server/write_refusal.h"
#include "mariadb/cursor.h"
#include "mariadb/engine.h"
#include "mariadb/release.h"
#include "mariadb/session.h"

namespace hs::mariadb {

Result<void> MariaSession::begin_write(MariaCursor& cursor, engine::Access access,
                                       engine::Rows rows) {
  transaction_.begin_request();
  if (auto refused = in_server::refusal(access, ignores_read_only_)) return *refused;
  const bool in_block = transaction_.is_block();
  const bool changes = access != engine::Access::kRead;
  if (changes)
    if (auto refused = refusal_of_cluster(cursor)) return *refused;
  if (in_block && changes && !cursor.can_undo()) return ErrorCode::kUnsupportedTable;
  if (!cursor.allows(access)) return ErrorCode::kUnsupportedTable;
  if (changes && (in_block || !transaction_.has_changes())) changes_ignore_read_only_ = false;
  // What a table cannot undo is not refused afterwards.
  if (changes) changes_ignore_read_only_ |= ignores_read_only_ || !cursor.can_undo();
  if (cursor.lacks_children() || (in_block && cursor.is_provisional()))
    if (auto reopened = reopen(cursor); !reopened) return reopened;
  const bool can_share = !in_block && rows == engine::Rows::kOne && cursor.undoes_rows();
  const adapter::Transaction::Statement statement{&cursor, access, can_share};
  const bool is_view = !changes && (in_block || reads_view_);
  if (is_view == statement_is_view_ && transaction_.joins(statement)) {
    if (is_view) return {};
    server_.begin_query();
    cursor.take_query_id();
    return {};
  }
  if (!close_statement()) {
    transaction_.lose();
    return take_error(0);
  }
  server_.begin_statement(command_of(access));
  if (cursor.has_triggers()) time_limit_.begin(most_us(), 0);
  if (!transaction_.is_open()) {
    thd_->variables.option_bits |= OPTION_BEGIN;
    thd_->server_status |= SERVER_STATUS_IN_TRANS;
    transaction_.begin();
    logged_before_ = thd_->get_last_commit_gtid();
  }
  const bool is_first = !cluster_.in_transaction();
  if (auto begun = cluster_.begin_statement(); !begun) {
    if (cluster_.was_aborted()) transaction_.lose();
    return begun;
  }
  if (is_first && is_in_way_of_ddl()) {
    if (auto reopened = reopen(cursor); !reopened) return reopened;
    return begin_write(cursor, access, rows);
  }
  const TableWait wait(server_);
  MDL_request protection;
  MDL_REQUEST_INIT(&protection, MDL_key::BACKUP, "", "", cursor.protection_type(), MDL_STATEMENT);
  const bool locked =
      is_view
          ? lock_for_view(cursor)
          : !thd_->mdl_context.acquire_lock(
                &protection, static_cast<double>(thd_->variables.lock_wait_timeout)) &&
                // Checked again: it may have changed during FLUSH TABLES WITH READ LOCK.
                !in_server::refusal(access, ignores_read_only_) && cursor.lock_for_write(access);
  if (!locked) {
    const auto refused = in_server::refusal(access, ignores_read_only_);
    const Error error = refused ? *refused : take_lock_error();
    trans_rollback_stmt(thd_);
    take_back();
    decide_fate(false);
    if (in_block) end_statement_of_block();
    return error;
  }
  if (changes) release::undo_indexes_beside_with_statement(thd_);
  transaction_.begin_statement(statement);
  statement_is_view_ = is_view;
  bump(engine_.counters().table_lock);
  return {};
}

// Outside of a block each statement sees what is committed when it begins.
bool MariaSession::lock_for_view(MariaCursor& cursor) {
  if (transaction_.is_block()) return cursor.lock_for_view();
  const enum_tx_isolation isolation = thd_->tx_isolation;
  thd_->tx_isolation = std::min(isolation, ISO_READ_COMMITTED);
  const bool locked = cursor.lock_for_view();
  thd_->tx_isolation = isolation;
  return locked;
}

Result<void> MariaSession::end_write(const MariaCursor& cursor) {
  // A change of such a table cannot be undone, so a KILL comes too late for it.
  if (transaction_.request_has_changes() && !cursor.can_undo()) thd_->reset_killed();
  if (!transaction_.end_request() || close_statement()) {
    if (transaction_.is_block()) end_statement_of_block();
    return {};
  }
  const Error error = take_error(0);
  (void)transaction_.decide_fate(was_rolled_back());
  if (transaction_.is_block()) end_statement_of_block();
  return error;
}

void MariaSession::undo_write() {
  if (transaction_.undo_request(was_rolled_back())) {
    const bool leaves_changes =
        cluster_.keeps_undone_statements() && transaction_.statement_has_changes();
    abandon_statement();
    decide_fate(leaves_changes);
  }
  if (transaction_.is_block()) end_statement_of_block();
  thd_->clear_error();
}

// Keeps what the open statement has changed. False: it was undone, and the error is raised.
bool MariaSession::close_statement() {
  if (!transaction_.has_statement()) return true;
  statement_cursor().end_statement();
  if (transaction_.statement_has_changes()) statement_cursor().invalidate_query_cache();
  const bool log_failed = thd_->binlog_flush_pending_rows_event(true) != 0;
  if (log_failed) transaction_.note_log_failure();
  const bool failed = log_failed || trans_commit_stmt(thd_);
  if (failed) trans_rollback_stmt(thd_);
  unlock_statement();
  return !failed && !cluster_.was_aborted();
}

// Undoes what the open statement has changed.
void MariaSession::abandon_statement() {
  if (!transaction_.has_statement()) return;
  statement_cursor().end_statement();
  // Tables without rollback keep the changes.
  if (transaction_.statement_has_changes()) statement_cursor().invalidate_query_cache();
  trans_rollback_stmt(thd_);
  unlock_statement();
}

// Ends the write port's statement, after its commit or rollback.
void MariaSession::unlock_statement() {
  const bool had_triggers = statement_cursor().has_triggers();
  statement_cursor().leave_triggers();
  transaction_.end_statement();
  mysql_unlock_tables(thd_, thd_->lock);
  thd_->lock = nullptr;
  bump(engine_.counters().table_unlock);
  for (TABLE* table = thd_->open_tables; table != nullptr; table = table->next)
    if (table->query_id == thd_->query_id) table->file->ha_reset();
  if (had_triggers) take_back();
}

// Decides what happens to the transaction after a request has failed and was undone.
// `must_roll_back`: only the whole transaction can be undone.
void MariaSession::decide_fate(bool must_roll_back) {
  const auto fate = transaction_.decide_fate(must_roll_back || was_rolled_back());
  if (fate == adapter::Transaction::Fate::kOver) undo_transaction();
}

// The request is to be executed again, outside of a block after a commit.
Error MariaSession::must_reopen() {
  lock_waits().note_refused(adapter::LockWaits::Lock::kTable);
  return Error{ErrorCode::kLockTables, 0, {}};
}

// Opens the cursor's table again, since changes of it now reach other tables than those that were
// opened with it.
Result<void> MariaSession::reopen(MariaCursor& cursor) {
  const bool in_block = transaction_.is_block();
  if (!in_block && transaction_.has_changes()) return must_reopen();
  in_block ? close_tables_of_block() : give_back_tables();
  auto opened = open_cursor(cursor.spec());
  if (!opened) return opened.error();
  return {};
}

Result<void> MariaSession::commit_write() {
  Result<void> result;
  if (!close_statement()) {
    result = take_error(0);
    undo_transaction();
    transaction_.lose();
    return result;
  }
  const bool changed = transaction_.has_changes();
  // The server does not report when it waits for other commits (group commit), so this does.
  if (changed) server_.on_wait_begin(THD_WAIT_BINLOG);
  const bool undone = !commit_transaction();
  if (changed) server_.on_wait_end();
  if (undone) {
    result = take_commit_error();
    trans_rollback(thd_);
    if (!changed) result = {};  // what was only read is right
  } else if (changed && cluster_.ending() == ClusterPart::Ending::kReplayed) {
    committed_ = gtid_of_replayed();
  } else if (changed && !are_same(thd_->get_last_commit_gtid(), logged_before_)) {
    committed_ = thd_->get_last_commit_gtid();
    engine_.gtids().note_committed(committed_);
  } else if (changed && in_server::log_was_switched_off()) {
    // The log was switched off during the commit: the change is in the tables and not in the log.
    result = in_server::log_is_off();
  }
  thd_->mdl_context.release_statement_locks();
  transaction_.end();
  if (!result && (cluster_.gave_way() || cluster_.ending() == ClusterPart::Ending::kTooLarge))
    transaction_.lose();
  return result;
}

// False: the transaction was rolled back, and the error is raised.
bool MariaSession::commit_transaction() {
  const ulong rollbacks = thd_->status_var.ha_rollback_count;
  if (cluster_.in_transaction()) cluster_.begin_commit(adapter::lock_timeout_s());
  // The server would let this session commit in any case, since it may do everything.
  privilege_t& may = thd_->security_ctx->master_access;
  const privilege_t everything = may;
  if (!changes_ignore_read_only_) may = everything & ~PRIV_IGNORE_READ_ONLY;
  const bool failed = trans_commit(thd_);
  may = everything;
  if (cluster_.in_transaction()) return end_in_cluster(failed);
  if (!failed) return true;
  // A failure after the commit (the next file of the binary log cannot be made) is an error, too,
  // but undoes nothing. The server itself logs it.
  return thd_->status_var.ha_rollback_count == rollbacks;
}

void MariaSession::undo_transaction() {
  if (transaction_.is_open()) {
    abandon_statement();
    trans_rollback_stmt(thd_);
    trans_rollback(thd_);
    if (cluster_.in_transaction()) (void)end_in_cluster(true);
    thd_->mdl_context.release_statement_locks();
  }
  transaction_.end();
  thd_->clear_error();
  free_root(thd_->mem_root, MYF(MY_KEEP_PREALLOC));
}

}  // namespace hs::mariadb
