// SPDX-License-Identifier: GPL-2.0-only
// A block: a transaction that lasts until its client ends it (see engine::Session). Each of its
// requests is a statement of its own. Between them nothing is held but what SQL would hold: rows, a
// view, and metadata locks.
#include "in_server/isolation.h"
#include "in_server/write_refusal.h"
#include "mysql/cursor.h"
#include "mysql/engine.h"
#include "mysql/session.h"

namespace hs::mysql {
namespace {

bool is_same_name(const SAVEPOINT& savepoint, std::string_view name) {
  return system_charset_info->coll->strnncoll(
             system_charset_info, reinterpret_cast<const uchar*>(name.data()), name.size(),
             reinterpret_cast<const uchar*>(savepoint.name), savepoint.length, false) == 0;
}

LEX_STRING as_lex(std::string& text) { return {text.data(), text.size()}; }

}  // namespace

Result<void> MysqlSession::begin_transaction(const engine::TransactionOptions& options) {
  if (should_stop()) return ErrorCode::kShutdown;
  if (mode_ == engine::Mode::kReadOnly) give_back_tables();  // see end_read_statement()
  if (cursors_.open().empty()) server_.take_settings();
  forget_kill();
  server_.begin_statement(SQLCOM_BEGIN);
  thd_->tx_isolation = in_server::isolation_of(options.isolation);
  thd_->variables.option_bits |= OPTION_BEGIN;
  thd_->server_status |= SERVER_STATUS_IN_TRANS;
  transaction_.begin_block();
  logged_before_ = last_used_gtid();
  if (!may_try()) {
    // How long its requests may wait.
    lock_waits().note_refused(adapter::LockWaits::Lock::kRow);
    lock_waits().forget_refused();
  }
  server_.end_statement();
  return {};
}

Result<void> MysqlSession::set_savepoint(std::string_view name) {
  size_t others = 0;
  for (const SAVEPOINT* one = thd_->get_transaction()->m_savepoints; one != nullptr;
       one = one->prev)
    if (!is_same_name(*one, name)) ++others;
  if (others >= engine::kMaxSavepoints) return ErrorCode::kTooManySavepoints;
  std::string wanted(name);
  forget_kill();
  server_.begin_statement(SQLCOM_SAVEPOINT);
  // The binary log takes the name from there.
  thd_->lex->ident = as_lex(wanted);
  return end_step(trans_savepoint(thd_, as_lex(wanted)));
}

Result<void> MysqlSession::roll_back_to(std::string_view name) {
  std::string wanted(name);
  forget_kill();
  server_.begin_statement(SQLCOM_ROLLBACK_TO_SAVEPOINT);
  // The tables' metadata locks stay, since their cursors do.
  for (SAVEPOINT* one = thd_->get_transaction()->m_savepoints; one != nullptr; one = one->prev)
    if (is_same_name(*one, name)) one->mdl_savepoint = thd_->mdl_context.mdl_savepoint();
  thd_->lex->ident = as_lex(wanted);
  return end_step(trans_rollback_to_savepoint(thd_, as_lex(wanted)));
}

// What follows each statement of SQL. Without it the binary log would take the step for the beginning
// of the next request, and undo it with that one.
Result<void> MysqlSession::end_step(bool failed) {
  Result<void> result;
  thd_->lex->ident = {};
  if (failed) {
    result = take_error(0);
    trans_rollback_stmt(thd_);
  } else if (trans_commit_stmt(thd_)) {
    result = take_error(0);
    transaction_.lose();
  }
  // The binary log's record of the step may have the KILL as its error, and replicas stop at one.
  if (thd_->killed != THD::NOT_KILLED) {
    if (result) result = take_error(0);
    transaction_.lose();
  }
  thd_->clear_error();
  thd_->mdl_context.release_statement_locks();
  server_.end_statement();
  return result;
}

Result<void> MysqlSession::commit_block() {
  if (transaction_lost()) {
    roll_back_block();
    return ErrorCode::kTransactionLost;
  }
  forget_kill();
  if (transaction_.has_changes()) {
    // The server lets this session commit in any case, since it may do everything.
    if (auto refused = in_server::refusal(engine::Access::kUpdate)) {
      roll_back_block();
      return *refused;
    }
  }
  server_.begin_statement(SQLCOM_COMMIT);
  Result<void> result = commit_write();
  end_block();
  return result;
}

void MysqlSession::roll_back_block() {
  if (statement_open_) unlock_readers();
  undo_transaction();
  end_block();
}

void MysqlSession::end_block() {
  statement_open_ = false;
  if (mode_ == engine::Mode::kReadOnly) give_back_tables();
  thd_->tx_isolation = static_cast<enum_tx_isolation>(thd_->variables.transaction_isolation);
  thd_->variables.option_bits &= ~OPTION_BEGIN;
  thd_->server_status &= ~SERVER_STATUS_IN_TRANS;
  thd_->clear_error();
}

}  // namespace hs::mysql
