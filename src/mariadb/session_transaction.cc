// SPDX-License-Identifier: GPL-2.0-only
// A block: a transaction that lasts until its client ends it (see engine::Session). Each of its
// requests is a statement of its own. Between them nothing is held but what SQL would hold: rows, a
// view, and the tables.
#include "mariadb/cursor.h"
// (before anything else)
#include <algorithm>

#include "in_server/isolation.h"
#include "in_server/write_refusal.h"
#include "mariadb/engine.h"
#include "mariadb/session.h"

namespace hs::mariadb {
namespace {

bool is_same_name(const SAVEPOINT& savepoint, const LEX_CSTRING& name) {
  return system_charset_info->strnncoll(name.str, name.length, savepoint.name, savepoint.length) ==
         0;
}

}  // namespace

Result<void> MariaSession::begin_transaction(const engine::TransactionOptions& options) {
  if (should_stop()) return ErrorCode::kShutdown;
  if (cursors_.open().empty()) server_.take_settings();
  if (!takes_transactions()) return ErrorCode::kNotImplemented;
  forget_kill();
  server_.begin_statement(SQLCOM_BEGIN);
  thd_->tx_isolation = in_server::isolation_of(options.isolation);
  thd_->variables.option_bits |= OPTION_BEGIN;
  thd_->server_status |= SERVER_STATUS_IN_TRANS;
  transaction_.begin_block();
  changes_ignore_read_only_ = false;
  logged_before_ = thd_->get_last_commit_gtid();
  if (!may_try()) lock_waits().be_patient(adapter::LockWaits::Lock::kRow);
  return {};
}

// After the statement of a request was kept or undone.
void MariaSession::end_statement_of_block() {
  if (mode_ == engine::Mode::kReadOnly) {
    unlock_readers();
    if (thd_->transaction_rollback_request) {
      trans_rollback_stmt(thd_);
      transaction_.lose();
    } else {
      trans_commit_stmt(thd_);
    }
    statement_open_ = false;
    thd_->clear_error();
  }
  thd_->mdl_context.release_statement_locks();
  // A request that must wait is executed again, and its account may be asked for it until then.
  if (!must_wait() || lock_waits().may_wait()) account_use_.forget_counted();
  free_root(thd_->mem_root, MYF(MY_KEEP_PREALLOC));
}

// Between two statements. As SQL does behind each: the metadata locks stay until the block's end.
void MariaSession::close_tables_of_block() {
  for (const MariaCursor* cursor : cursors_.open()) cursor->list_locks(block_locks_);
  std::sort(block_locks_.begin(), block_locks_.end());
  block_locks_.erase(std::unique(block_locks_.begin(), block_locks_.end()), block_locks_.end());
  close_open_tables();
}

Result<void> MariaSession::set_savepoint(std::string_view name) {
  const LEX_CSTRING wanted{name.data(), name.size()};
  size_t others = 0;
  for (const SAVEPOINT* one = thd_->transaction->savepoints; one != nullptr; one = one->prev)
    if (!is_same_name(*one, wanted)) ++others;
  if (others >= engine::kMaxSavepoints) return ErrorCode::kTooManySavepoints;
  forget_kill();
  server_.begin_statement(SQLCOM_SAVEPOINT);
  // The binary log takes the name from there.
  thd_->lex->ident = wanted;
  return end_step(trans_savepoint(thd_, wanted));
}

Result<void> MariaSession::roll_back_to(std::string_view name) {
  const std::string ended(name);  // the server's message needs its end
  const LEX_CSTRING wanted{ended.data(), ended.size()};
  forget_kill();
  server_.begin_statement(SQLCOM_ROLLBACK_TO_SAVEPOINT);
  // The tables stay open, so their metadata locks must.
  for (SAVEPOINT* one = thd_->transaction->savepoints; one != nullptr; one = one->prev)
    if (is_same_name(*one, wanted)) one->mdl_savepoint = thd_->mdl_context.mdl_savepoint();
  thd_->lex->ident = wanted;
  return end_step(trans_rollback_to_savepoint(thd_, wanted));
}

// What follows each statement of SQL. Without it the binary log would take the step for the beginning
// of the next request, and undo it with that one.
Result<void> MariaSession::end_step(bool failed) {
  Result<void> result;
  thd_->lex->ident = null_clex_str;
  if (failed) {
    result = take_error(0);
    trans_rollback_stmt(thd_);
  } else if (trans_commit_stmt(thd_)) {
    result = take_error(0);
    transaction_.lose();
  }
  // The binary log's record of the step may have the KILL as its error, and replicas stop at one.
  if (thd_->killed != NOT_KILLED) {
    if (result) result = take_error(0);
    transaction_.lose();
  }
  thd_->clear_error();
  thd_->mdl_context.release_statement_locks();
  free_root(thd_->mem_root, MYF(MY_KEEP_PREALLOC));
  return result;
}

Result<void> MariaSession::commit_block() {
  account_use_.forget_counted();
  if (transaction_lost()) {
    roll_back_block();
    return ErrorCode::kTransactionLost;
  }
  forget_kill();
  if (transaction_.has_changes()) {
    if (auto refused = in_server::refusal(engine::Access::kUpdate, changes_ignore_read_only_)) {
      roll_back_block();
      return *refused;
    }
  }
  server_.begin_statement(SQLCOM_COMMIT);
  Result<void> result = commit_write();
  end_block();
  return result;
}

void MariaSession::roll_back_block() {
  account_use_.forget_counted();
  unlock_readers();
  undo_transaction();
  end_block();
}

void MariaSession::end_block() {
  statement_open_ = false;
  thd_->tx_isolation = static_cast<enum_tx_isolation>(thd_->variables.tx_isolation);
  thd_->variables.option_bits &= ~OPTION_BEGIN;
  thd_->server_status &= ~SERVER_STATUS_IN_TRANS;
  thd_->clear_error();
  free_root(thd_->mem_root, MYF(MY_KEEP_PREALLOC));
}

}  // namespace hs::mariadb
