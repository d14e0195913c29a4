// SPDX-License-Identifier: GPL-2.0-only
// The life of a session, its errors, and what is the same on both ports. Tables: session_tables.cc;
// statements that write: session_write.cc.
#include "mariadb/session.h"
// (before anything else)
#include <sql_audit.h>

#include <algorithm>

#include "base/clock.h"
#include "mariadb/account.h"
#include "mariadb/cursor.h"
#include "mariadb/engine.h"

namespace hs::mariadb {
namespace {

using Lock = adapter::LockWaits::Lock;

ProcessEntry::What what_of(engine::Access access) {
  if (engine::inserts(access)) return ProcessEntry::What::kInsert;
  if (access == engine::Access::kUpdate) return ProcessEntry::What::kUpdate;
  if (access == engine::Access::kDelete) return ProcessEntry::What::kDelete;
  return ProcessEntry::What::kFind;
}

bool is_wait_in_vain(const Error& error) {
  return (error.code == ErrorCode::kSql && error.number == ER_LOCK_WAIT_TIMEOUT) ||
         (error.code == ErrorCode::kEngine && error.number == HA_ERR_LOCK_WAIT_TIMEOUT);
}

}  // namespace

MariaSession::MariaSession(MariaEngine& engine, THD* thd, engine::Mode mode, std::string_view name)
    : engine_(engine),
      server_(thd, name, mode == engine::Mode::kReadWrite),
      cluster_(thd),
      thd_(thd),
      mode_(mode),
      time_limit_(thd),
      lent_(thd) {}

MariaSession::~MariaSession() {
  if (!server_.is_in_thread()) enter({});
  rollback();
  release();
  cursors_.clear();
  engine_.sessions().remove(this);
}

void MariaSession::leave() {
  if (transaction_.is_block()) {
    // Its client may be away for long.
    account_use_.forget_tables();
    if (mysql_audit_release_required(thd_)) mysql_audit_release(thd_);
    server_.entry().set_idle();
  }
  server_.leave();
}

bool MariaSession::should_stop() const { return engine_.stopping() || server_.is_shut_down(); }

// A KILL of this session's entry in the process list ends the running request, not the session.
void MariaSession::forget_kill() {
  if (thd_->killed == NOT_KILLED || should_stop()) return;
  // What has ended a client's transaction ends none of a later one.
  if (block_was_killed()) return;
  thd_->reset_killed();
}

// The server itself ends what takes too much memory (max_session_mem_used), and says so.
Error MariaSession::reason_of_kill() const {
  Error reason{ErrorCode::kInterrupted, 0, {}};
  mysql_mutex_lock(&thd_->LOCK_thd_kill);
  if (const auto* const told = thd_->killed_err; told != nullptr && told->no != 0)
    reason = Error::sql(told->no, told->msg);
  mysql_mutex_unlock(&thd_->LOCK_thd_kill);
  return reason;
}

Error MariaSession::take_error(int number) {
  Diagnostics_area* area = thd_->get_stmt_da();
  Error error{ErrorCode::kEngine, number, {}};
  if (cluster_.was_aborted() && !cluster_.was_killed()) {
    transaction_.lose();
    error = Error::sql(ER_LOCK_DEADLOCK, ER_THD(thd_, ER_LOCK_DEADLOCK));
  } else if (thd_->killed == KILL_TIMEOUT) {
    error = Error::sql(ER_STATEMENT_TIMEOUT, ER_THD(thd_, ER_STATEMENT_TIMEOUT));
  } else if (thd_->killed != NOT_KILLED) {
    // What a KILL has rolled back is not tried again alone.
    if (cluster_.in_transaction()) transaction_.note_timeout();
    error = should_stop() ? Error{ErrorCode::kShutdown, 0, {}} : reason_of_kill();
    if (is_in_way_of_cluster()) {
      lock_waits().note_refused(Lock::kTable);
      error = Error{ErrorCode::kLockTables, 0, {}};
    }
  } else if (number == 0 || number == HA_ERR_RBR_LOGGING_FAILED) {
    if (number != 0) transaction_.note_log_failure();
    error = area->is_error() ? Error::sql(static_cast<int>(area->sql_errno()), area->message())
                             : Error::engine(HA_ERR_GENERIC);
  } else if (number == HA_ERR_AUTOINC_READ_FAILED && lock_waits().may_wait()) {
    // The session has waited in vain for the lock of the table's AUTO_INCREMENT.
    error = Error::engine(HA_ERR_LOCK_WAIT_TIMEOUT);
  }
  if (error.code == ErrorCode::kSql && error.number == ER_OPTION_PREVENTS_STATEMENT)
    error = Error::option_prevents(std::move(error.message));
  // A trigger was refused by the log.
  if (error.code == ErrorCode::kSql &&
      (error.number == ER_TRANS_CACHE_FULL || error.number == ER_STMT_CACHE_FULL))
    transaction_.note_log_failure();
  if (number == HA_ERR_LOCK_WAIT_TIMEOUT ||
      (error.code == ErrorCode::kSql && error.number == ER_LOCK_WAIT_TIMEOUT))
    transaction_.note_timeout();
  note_lock(number, error);
  if (time_bounds_wait_ && is_wait_in_vain(error))
    error = Error::sql(ER_STATEMENT_TIMEOUT, ER_THD(thd_, ER_STATEMENT_TIMEOUT));
  thd_->clear_error();
  return error;
}

// A row that another session has changed since this one's view of the table (MyRocks) is changed in a new
// transaction, as after a deadlock. In a client's own transaction the client decides, as in SQL.
Error MariaSession::take_engines_own_error() {
  Error error = take_error(0);
  if (error.code != ErrorCode::kSql) return error;
  if (error.number == ER_DUP_ENTRY) return Error::engine(HA_ERR_FOUND_DUPP_KEY);  // Spider's
  if (error.number != ER_LOCK_DEADLOCK || transaction_.is_block()) return error;
  thd_->mark_transaction_to_rollback(true);
  return Error::engine(HA_ERR_LOCK_DEADLOCK);
}

// Notes it when the call failed because it did not get a lock.
void MariaSession::note_lock(int number, const Error& error) {
  // When an AUTO_INCREMENT value cannot be read, its lock was not granted.
  const bool of_engine = number == HA_ERR_LOCK_WAIT_TIMEOUT || number == HA_ERR_AUTOINC_READ_FAILED;
  const bool of_server = error.code == ErrorCode::kSql && error.number == ER_LOCK_WAIT_TIMEOUT;
  if (of_engine || of_server) lock_waits().note_refused(of_engine ? Lock::kRow : Lock::kTable);
}

// --- accounts ---

void MariaSession::act_for(const engine::Account* account) {
  account_ = static_cast<const MariaAccount*>(account);
  ignores_read_only_ = false;
}

Privileges& MariaSession::privileges() { return engine_.privileges(); }

const engine::Rights& MariaSession::rights(engine::Cursor& cursor) {
  if (account_ == nullptr) return engine::kAllRights;
  const AccountRights& rights =
      static_cast<MariaCursor&>(cursor).rights_of(account_->principal(), monotonic_ms());
  ignores_read_only_ = rights.ignores_read_only;
  return rights;
}

// How long a request may take; 0: as long as it does.
uint64_t MariaSession::most_us() const {
  if (account_ != nullptr && account_->most_us() != 0) return account_->most_us();
  return thd_->variables.max_statement_time;
}

// --- triggers ---

void MariaSession::lend() { lent_.lend(account_ != nullptr ? &account_->principal() : nullptr); }

void MariaSession::take_back() {
  const enum_tx_isolation isolation = thd_->tx_isolation;
  if (!lent_.take_back()) return;
  server_.restore_settings();
  if (transaction_.is_block()) thd_->tx_isolation = isolation;
}

// A trigger may take long, and does not report its work as a request does. So for other threads it
// is a wait.
void MariaSession::begin_trigger() {
  lent_.note_trigger();
  transaction_.note_change();
  server_.on_wait_begin(THD_WAIT_SLEEP);
}

// --- requests that take long ---

void MariaSession::takes_long() {
  server_.entry().show();
  // Else the work was done before the request was begun, and its account is not known yet.
  constexpr uint64_t kSpentUs = 5'000;  // see exec::Meter
  if (current_ != nullptr) time_limit_.begin(most_us(), kSpentUs);
}

void MariaSession::end_waiting() {
  time_limit_.end();
  time_bounds_wait_ = false;
  spent_us_ = 0;
  if (std::exchange(reported_wait_, false)) server_.on_wait_end();
  server_.end_waiting();
}

// --- specs and cursors ---

// The time limit holds for a request that is parked, too.
uint32_t MariaSession::patience_ms() const {
  const uint32_t patience_ms = lock_waits().patience_ms();
  const uint64_t most_us = this->most_us();
  if (most_us == 0) return patience_ms;
  return static_cast<uint32_t>(
      std::min<uint64_t>(patience_ms, std::max<uint64_t>(most_us / 1000, 1)));
}

Result<engine::Cursor*> MariaSession::cursor(const engine::IndexSpecPtr& spec) {
  lock_waits().forget_refused();
  // As in SQL, a KILL QUERY that comes while nothing runs has no effect.
  if (!statement_open_ && (!transaction_.is_open() || transaction_.is_block())) forget_kill();
  if (lock_waits().may_wait()) time_limit_.begin(most_us(), spent_us_);
  if (MariaCursor* const cursor = cursors_.find_open(spec)) return cursor;
  auto opened = open_cursor(spec);
  if (!opened) return std::move(opened.error());
  return *opened;
}

// --- requests ---

Result<void> MariaSession::begin_request(engine::Cursor& cursor, engine::Access access,
                                         engine::Rows rows) {
  if (should_stop()) return ErrorCode::kShutdown;
  auto& target = static_cast<MariaCursor&>(cursor);
  server_.entry().work_on(target.subject(), what_of(access));
  if (account_ != nullptr && !account_use_.count(thd_, *account_, command_of(access)))
    return Error::access_denied(ER_USER_LIMIT_REACHED);
  auto begun =
      mode_ == engine::Mode::kReadOnly ? begin_read(target) : begin_write(target, access, rows);
  if (begun) {
    current_ = &target;
    // The engine does not tell that it waits for the other server.
    if (target.is_remote()) server_.on_wait_begin(THD_WAIT_NET);
    if (account_ != nullptr)
      account_use_.note_table(thd_, *account_, target.share(), access != engine::Access::kRead);
  } else {
    take_back_if_repeated();
  }
  return begun;
}

// A request that must wait is executed again, and counts for its account only then.
void MariaSession::take_back_if_repeated() {
  time_limit_.end();
  const bool is_repeated = must_wait() && !lock_waits().may_wait();
  if (is_repeated && account_ != nullptr && account_->is_limited()) account_use_.take_back_last();
}

Result<void> MariaSession::begin_read(MariaCursor& cursor) {
  if (!statement_open_) {
    server_.begin_statement(SQLCOM_SELECT);
    statement_open_ = true;
  }
  if (std::find(locked_cursors_.begin(), locked_cursors_.end(), &cursor) != locked_cursors_.end())
    return {};
  const TableWait wait(server_);
  if (!cursor.lock_for_read()) {
    const Error error = take_lock_error();
    if (transaction_.is_block()) end_statement_of_block();
    return error;
  }
  locked_cursors_.push_back(&cursor);
  bump(engine_.counters().table_lock);
  return {};
}

Result<void> MariaSession::end_request() {
  const RoomWait wait(server_);
  time_limit_.end();
  const MariaCursor& cursor = *std::exchange(current_, nullptr);
  if (cursor.is_remote()) server_.on_wait_end();
  if (mode_ == engine::Mode::kReadWrite) return end_write(cursor);
  end_read(cursor);
  return {};
}

void MariaSession::undo_request() {
  const RoomWait wait(server_);
  take_back_if_repeated();
  const MariaCursor& cursor = *std::exchange(current_, nullptr);
  if (cursor.is_remote()) server_.on_wait_end();
  if (mode_ == engine::Mode::kReadWrite) return undo_write();
  end_read(cursor);
}

void MariaSession::end_read(const MariaCursor& cursor) {
  if (transaction_.is_block()) return end_statement_of_block();
  if (!cursor.locks_in_engine()) unlock_readers();
}

Result<void> MariaSession::commit() {
  const RoomWait wait(server_);
  Result<void> result;
  committed_ = {};
  lock_waits().forget_refused();
  if (transaction_.is_block()) return commit_block();
  if (mode_ == engine::Mode::kReadOnly) {
    account_use_.forget_counted();
    if (!statement_open_) return {};
    unlock_readers();
    trans_commit_stmt(thd_);
    statement_open_ = false;
  } else {
    if (!transaction_.is_open()) {
      account_use_.forget_counted();
      return {};
    }
    result = commit_write();
    if (result) account_use_.forget_counted();
  }
  thd_->clear_error();
  free_root(thd_->mem_root, MYF(MY_KEEP_PREALLOC));
  return result;
}

engine::Gtid MariaSession::last_gtid() const {
  return committed_.seq_no == 0 ? engine::Gtid() : text_of(committed_);
}

Result<bool> MariaSession::has_applied(std::string_view gtids, engine::GtidMark& mark) {
  adapter::GtidList list;
  if (!list.read(gtids)) return ErrorCode::kGtid;
  return engine_.gtids().have_applied(list, mark);
}

void MariaSession::rollback() {
  const RoomWait wait(server_);
  lock_waits().forget_refused();
  if (transaction_.is_block()) return roll_back_block();
  if (mode_ == engine::Mode::kReadOnly) {
    (void)commit();
    return;
  }
  // Its requests are executed again.
  if (transaction_.is_lost()) account_use_.take_back_all();
  account_use_.forget_counted();
  undo_transaction();
}

}  // namespace hs::mariadb
