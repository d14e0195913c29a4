// SPDX-License-Identifier: GPL-2.0-only
// Opening tables for cursors, and giving them back.
#include <algorithm>

#include "adapter/open_tables.h"
#include "mysql/cursor.h"
#include "mysql/engine.h"
#include "mysql/session.h"

namespace hs::mysql {
namespace {

// How many rows cost as much work to read as opening a table.
constexpr uint32_t kRowsWorthAnOpen = 256;

}  // namespace

Result<MysqlCursor*> MysqlSession::open_cursor(const engine::IndexSpecPtr& spec) {
  MysqlCursor& cursor =
      cursors_.get(spec, [&] { return std::make_unique<MysqlCursor>(*this, spec); });
  if (account_ != nullptr && !cursor.is_seen_by(account_->principal()))
    return ErrorCode::kOpenTable;
  if (auto ready = prepare_to_open(); !ready) return ready.error();
  const bool in_block = transaction_.is_block();

  Result<void> opened = try_open(cursor);
  // Tables that were flushed meanwhile cannot be open together with those that were opened before.
  if (!opened && cursor.may_open_again() && (in_block || !transaction_.is_open())) {
    if (!in_block) give_back_tables();
    if (!was_rolled_back()) opened = try_open(cursor);
  }
  if (!opened) {
    if (in_block && was_rolled_back()) transaction_.lose();  // a deadlock with DDL
    return opened.error();
  }
  cursors_.note_open(cursor);
  note_locks();
  bump(engine_.counters().table_open);
  works(kRowsWorthAnOpen);
  return &cursor;
}

// Opens the cursor. On error nothing of the try is left behind, neither tables nor locks, whatever
// else the session has.
Result<void> MysqlSession::try_open(MysqlCursor& cursor) {
  const TableWait wait(server_);
  server_.entry().work_on(cursor.subject(), ProcessEntry::What::kOpen);
  server_.begin_statement(SQLCOM_SELECT);
  const TABLE* const opened_before = thd_->open_tables;
  const MDL_savepoint locked_before = thd_->mdl_context.mdl_savepoint();
  Result<void> opened = cursor.open();
  if (!opened) {
    cursor.forget_table();
    while (thd_->open_tables != opened_before) close_thread_table(thd_, &thd_->open_tables);
    thd_->mdl_context.rollback_to_savepoint(locked_before);
    if (cursor.may_open_again() && (transaction_.is_block() || !transaction_.is_open())) {
      close_tables();
      cursor.recover_failed_open();
    }
  } else if (mode_ == engine::Mode::kReadWrite) {
    // Each statement opens it again, for what it does.
    cursor.unbind();
    close_thread_tables(thd_);
  }
  thd_->mdl_context.release_statement_locks();
  server_.end_statement();
  return opened;
}

// The metadata locks of all that is open. Those of a block of the read port outlive what it had open.
void MysqlSession::note_locks() {
  if (mode_ == engine::Mode::kReadWrite || !transaction_.is_block()) locks_.clear();
  for (const MysqlCursor* cursor : cursors_.open()) cursor->list_locks(locks_);
  std::sort(locks_.begin(), locks_.end());
  locks_.erase(std::unique(locks_.begin(), locks_.end()), locks_.end());
}

bool MysqlSession::is_waited_for() const {
  return std::ranges::any_of(
             locks_, [](const MDL_ticket* lock) { return lock->has_pending_conflicting_lock(); }) ||
         std::ranges::any_of(cursors_.open(),
                             [](const MysqlCursor* cursor) { return cursor->is_flushed(); });
}

size_t MysqlSession::most_open_cursors() const {
  return adapter::most_open_tables(table_cache_size, engine_.sessions().size());
}

bool MysqlSession::after_batch() {
  audit_.end_batch();
  server_.entry().set_idle();
  forget_kill();
  if (is_waited_for() || server_.settings_are_old() || cursors_.open().size() > most_open_cursors())
    give_back_tables();
  cursors_.shrink();
  return !cursors_.open().empty();
}

void MysqlSession::release() {
  give_back_tables();
  audit_.end_batch();
  cursors_.shrink();
}

// Keeps every cursor: a request may have one in hand.
void MysqlSession::give_back_tables() {
  if (transaction_.is_open() || statement_open_) (void)commit();
  close_tables();
  locks_.clear();
  thd_->mdl_context.release_transactional_locks();
}

// Their metadata locks stay.
void MysqlSession::close_tables() {
  if (!cursors_.open().empty()) bump(engine_.counters().table_close);
  for (MysqlCursor* cursor : cursors_.open()) cursor->forget_table();
  cursors_.note_all_closed();
  close_thread_tables(thd_);
}

}  // namespace hs::mysql
