// SPDX-License-Identifier: GPL-2.0-only
// Opening tables for cursors, and giving them back.
#include "mariadb/cursor.h"
// (before anything else)
#include <sql_audit.h>

#include <algorithm>

#include "adapter/open_tables.h"
#include "mariadb/engine.h"
#include "mariadb/session.h"

namespace hs::mariadb {
namespace {

// How many rows cost as much work to read as opening a table.
constexpr uint32_t kRowsWorthAnOpen = 256;

}  // namespace

Result<MariaCursor*> MariaSession::open_cursor(const engine::IndexSpecPtr& spec) {
  MariaCursor& cursor =
      cursors_.get(spec, [&] { return std::make_unique<MariaCursor>(*this, spec); });
  if (account_ != nullptr && !cursor.is_seen_by(account_->principal()))
    return ErrorCode::kOpenTable;
  if (auto ready = prepare_to_open(); !ready) return ready.error();
  const bool in_block = transaction_.is_block();

  Result<void> opened = try_open(cursor);
  for (int more = 2; !opened && more > 0 && (in_block || !transaction_.is_open()); --more) {
    if (opened.error().code != ErrorCode::kEngine) break;
    trans_commit_stmt(thd_);
    in_block ? close_tables_of_block() : close_tables();
    // Before give_back_tables(), since what is to be recovered is kept in the statement's memory.
    cursor.recover_failed_open();
    if (in_block && thd_->transaction_rollback_request) break;
    if (!in_block) give_back_tables();
    opened = try_open(cursor);
  }
  if (!opened) {
    trans_commit_stmt(thd_);
    if (!transaction_.is_open()) free_root(thd_->mem_root, MYF(MY_KEEP_PREALLOC));
    // A deadlock with DDL.
    if (in_block && thd_->transaction_rollback_request) transaction_.lose();
    if (opened.error().code == ErrorCode::kEngine) return ErrorCode::kLockTables;
    return opened.error();
  }
  cursors_.note_open(cursor);
  bump(engine_.counters().table_open);
  works(kRowsWorthAnOpen);
  if (!transaction_.is_open() || in_block) thd_->mdl_context.release_statement_locks();
  return &cursor;
}

// Opens the cursor. On error nothing of the try is left behind, neither tables nor locks, whatever
// else the session has open.
Result<void> MariaSession::try_open(MariaCursor& cursor) {
  const TableWait wait(server_);
  server_.entry().work_on(cursor.subject(), ProcessEntry::What::kOpen);
  server_.begin_statement(SQLCOM_SELECT);
  TABLE* const opened_before = thd_->open_tables;
  const MDL_savepoint locked_before = thd_->mdl_context.mdl_savepoint();
  Result<void> opened = cursor.open();
  if (discard_if_killed(opened_before) && opened) opened = take_error(0);
  if (opened) return opened;
  cursor.forget_table();
  while (thd_->open_tables != opened_before) close_thread_table(thd_, &thd_->open_tables);
  thd_->mdl_context.rollback_to_savepoint(locked_before);
  return opened;
}

bool MariaSession::is_waited_for() const {
  return std::ranges::any_of(cursors_.open(),
                             [](const MariaCursor* cursor) { return cursor->is_waited_for(); }) ||
         std::ranges::any_of(block_locks_, [](const MDL_ticket* lock) {
           return lock->has_pending_conflicting_lock();
         });
}

// A KILL also ends the reading of a table's triggers. The server would then keep the table, also for
// other sessions, as one whose triggers have an error.
bool MariaSession::discard_if_killed(const TABLE* opened_before) {
  if (thd_->killed == NOT_KILLED) return false;
  for (TABLE* table = thd_->open_tables; table != opened_before; table = table->next)
    table->mark_table_for_reopen();
  return true;
}

size_t MariaSession::most_open_cursors() const {
  return adapter::most_open_tables(tc_size, engine_.sessions().size());
}

bool MariaSession::after_batch() {
  const RoomWait wait(server_);
  account_use_.forget_tables();
  if (mysql_audit_release_required(thd_)) mysql_audit_release(thd_);
  server_.entry().set_idle();
  forget_kill();
  const bool is_provisional = std::ranges::any_of(
      cursors_.open(), [](const MariaCursor* cursor) { return cursor->is_provisional(); });
  if (is_waited_for() || is_provisional || !block_locks_.empty() || server_.settings_are_old() ||
      cursors_.open().size() > most_open_cursors())
    give_back_tables();
  cursors_.shrink();
  const bool holds_tables = !cursors_.open().empty();
  // So that an audit plugin can be removed. A session that holds tables is told to release() when it idles.
  if (!holds_tables) mysql_audit_release(thd_);
  return holds_tables;
}

// Their metadata locks stay.
void MariaSession::close_open_tables() {
  if (!cursors_.open().empty()) bump(engine_.counters().table_close);
  for (MariaCursor* cursor : cursors_.open()) cursor->forget_table();
  cursors_.note_all_closed();
  account_use_.forget_tables();
  close_thread_tables(thd_);
}

void MariaSession::close_tables() {
  close_open_tables();
  block_locks_.clear();
  thd_->release_transactional_locks();
  // As the server does after each command. What is open may use its routines.
  for (sp_cache* routines : {thd_->sp_proc_cache, thd_->sp_func_cache, thd_->sp_package_spec_cache,
                             thd_->sp_package_body_cache})
    if (routines != nullptr) sp_cache_enforce_limit(routines, stored_program_cache_size);
}

void MariaSession::release() {
  give_back_tables();
  mysql_audit_release(thd_);
  cursors_.shrink();
}

// Keeps every cursor: a request may have one in hand.
void MariaSession::give_back_tables() {
  if (transaction_.is_open() || !locked_cursors_.empty()) (void)commit();
  close_tables();
  free_root(thd_->mem_root, MYF(MY_KEEP_PREALLOC));
}

// Other tables would be held for as long as the wait lasts, so they are given back first.
void MariaSession::begin_waiting(uint32_t most_ms) {
  const uint32_t patience_ms = this->patience_ms();
  time_bounds_wait_ = patience_ms < lock_waits().patience_ms();
  spent_us_ = uint64_t{patience_ms - std::min(most_ms, patience_ms)} * 1000;
  if (cursors_.open().size() > 1 && !transaction_.is_block()) give_back_tables();
  server_.begin_waiting(most_ms);
  reported_wait_ = std::exchange(engine_is_silent_, false);
  if (reported_wait_) server_.on_wait_begin(THD_WAIT_ROW_LOCK);
}

}  // namespace hs::mariadb
