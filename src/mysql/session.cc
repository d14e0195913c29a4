// SPDX-License-Identifier: GPL-2.0-only
// The life of a session, its errors, and what is the same on both ports. Tables: session_tables.cc;
// statements that write: session_write.cc.
#include "mysql/session.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "mysql/cursor.h"
#include "mysql/engine.h"
#include "mysql/engine_errors.h"

namespace hs::mysql {
namespace {

using Lock = adapter::LockWaits::Lock;

// What a read returns that cannot compute the row's virtual columns.
constexpr int kNotComputed = 1;

ProcessEntry::What what_of(engine::Access access) {
  if (engine::inserts(access)) return ProcessEntry::What::kInsert;
  if (access == engine::Access::kUpdate) return ProcessEntry::What::kUpdate;
  if (access == engine::Access::kDelete) return ProcessEntry::What::kDelete;
  return ProcessEntry::What::kFind;
}

// The server checks foreign keys itself; elsewhere the engine does, and clients know its numbers.
Error raised(const Diagnostics_area& area) {
  switch (area.mysql_errno()) {
    case ER_NO_REFERENCED_ROW_2:
      return Error::engine(HA_ERR_NO_REFERENCED_ROW);
    case ER_ROW_IS_REFERENCED_2:
      return Error::engine(HA_ERR_ROW_IS_REFERENCED);
    case ER_OPTION_PREVENTS_STATEMENT:  // it may have become read-only since refusal()
      return Error::option_prevents(area.message_text());
    default:
      return Error::sql(static_cast<int>(area.mysql_errno()), area.message_text());
  }
}

bool is_wait_in_vain(const Error& error) {
  return (error.code == ErrorCode::kSql && error.number == ER_LOCK_WAIT_TIMEOUT) ||
         (error.code == ErrorCode::kEngine && error.number == HA_ERR_LOCK_WAIT_TIMEOUT);
}

// The codes of the engine would say that it is the request's own row.
Error raised_by_trigger(const Diagnostics_area& area) {
  return Error::sql(static_cast<int>(area.mysql_errno()), area.message_text());
}

}  // namespace

MysqlSession::MysqlSession(MysqlEngine& engine, THD* thd, engine::Mode mode, std::string_view name)
    : engine_(engine),
      server_(thd, name),
      thd_(thd),
      mode_(mode),
      lent_(thd),
      audit_(thd),
      time_limit_(thd) {}

MysqlSession::~MysqlSession() {
  if (!server_.is_in_thread()) enter({});
  rollback();
  release();
  cursors_.clear();
  engine_.sessions().remove(this);
}

void MysqlSession::leave() {
  if (transaction_.is_block()) {
    audit_.end_batch();  // its client may be away for long
    server_.entry().set_idle();
  }
  server_.leave();
}

bool MysqlSession::should_stop() const { return engine_.is_stopping(); }

// A KILL of this session's entry in the process list ends the running request, not the session.
void MysqlSession::forget_kill() {
  if (thd_->killed == THD::NOT_KILLED || should_stop()) return;
  // A client's transaction is lost by a KILL, and a later one is not.
  if (transaction_.is_block() && thd_->killed == THD::KILL_CONNECTION) return;
  thd_->killed = THD::NOT_KILLED;
}

bool MysqlSession::transaction_lost() const {
  return transaction_.is_lost() ||
         (transaction_.is_block() && thd_->killed == THD::KILL_CONNECTION);
}

// `tell`: what an error that the server has raised is to the client.
Error MysqlSession::take_error_as(int number, Error (*tell)(const Diagnostics_area&)) {
  const Diagnostics_area* const area = thd_->get_stmt_da();
  Error error = Error::engine(number_on_the_wire(number));
  if (server_.take_refused_wait()) {
    number = HA_ERR_LOCK_WAIT_TIMEOUT;
    error = Error::engine(number_on_the_wire(number));
  } else if (thd_->killed == THD::KILL_TIMEOUT) {
    error = Error::sql(ER_QUERY_TIMEOUT, ER_THD(thd_, ER_QUERY_TIMEOUT));
  } else if (thd_->killed != THD::NOT_KILLED) {
    error = Error{should_stop() ? ErrorCode::kShutdown : ErrorCode::kInterrupted, 0, {}};
  } else if (number == 0 || number == HA_ERR_RBR_LOGGING_FAILED ||
             (number == kNotComputed && area->is_error())) {
    if (number == HA_ERR_RBR_LOGGING_FAILED) transaction_.note_log_failure();
    error = area->is_error() ? tell(*area) : Error::engine(number_on_the_wire(HA_ERR_GENERIC));
  }
  if (error.code == ErrorCode::kSql &&
      (error.number == ER_TRANS_CACHE_FULL || error.number == ER_STMT_CACHE_FULL))
    transaction_.note_log_failure();
  note_lock(number, error);
  const bool is_deadlock = number == HA_ERR_LOCK_DEADLOCK ||
                           (error.code == ErrorCode::kSql && error.number == ER_LOCK_DEADLOCK);
  if (time_bounds_wait_ && is_wait_in_vain(error))
    error = Error::sql(ER_QUERY_TIMEOUT, ER_THD(thd_, ER_QUERY_TIMEOUT));
  was_deadlock_ |= is_deadlock && lock_waits().may_wait() && !transaction_.is_block();
  thd_->clear_error();
  thd_->get_stmt_da()->reset_condition_info(thd_);
  return error;
}

Error MysqlSession::take_error(int number) { return take_error_as(number, raised); }

Error MysqlSession::take_trigger_error() {
  const Diagnostics_area* const area = thd_->get_stmt_da();
  const bool timed_out = area->is_error() && area->mysql_errno() == ER_LOCK_WAIT_TIMEOUT;
  return take_error_as(timed_out ? HA_ERR_LOCK_WAIT_TIMEOUT : 0, raised_by_trigger);
}

// Notes it when the call failed because it did not get a lock.
void MysqlSession::note_lock(int number, const Error& error) {
  const bool of_engine = number == HA_ERR_LOCK_WAIT_TIMEOUT;
  const bool of_server = error.code == ErrorCode::kSql && error.number == ER_LOCK_WAIT_TIMEOUT;
  if (!of_engine && !of_server) return;
  transaction_.note_timeout();
  lock_waits().note_refused(of_engine ? Lock::kRow : Lock::kTable);
}

// --- accounts ---

Privileges& MysqlSession::privileges() { return engine_.privileges(); }

const engine::Rights& MysqlSession::rights(engine::Cursor& cursor) {
  if (account_ == nullptr) return engine::kAllRights;
  return static_cast<MysqlCursor&>(cursor).rights_of(account_->principal(), monotonic_ms());
}

// Counts a request for an account that may make only so many in an hour. False: it has made them.
bool MysqlSession::count_request(enum_sql_command command) {
  if (account_ == nullptr || !account_->is_limited()) return true;
  counted_.add(*account_, command);
  return account_->may_ask(thd_, command);
}

// After a request has failed. One that must wait is executed again, and counts only then.
void MysqlSession::take_back_if_repeated() {
  time_limit_.end();
  const bool is_repeated = must_wait() && !lock_waits().may_wait();
  if (is_repeated && account_ != nullptr && account_->is_limited()) counted_.take_back_last();
  if (transaction_.is_block()) counted_.forget();
}

// --- finds that take long ---

void MysqlSession::takes_long() {
  server_.entry().show();
  // Else the work was done before the request was begun.
  constexpr uint64_t kSpentMs = 5;  // see exec::Meter
  if (current_ != nullptr && is_find_) time_limit_.begin(kSpentMs);
}

// The time limit holds for a find that is parked, too. On the write port it is not known here what the request is.
uint32_t MysqlSession::patience_ms() const {
  const uint32_t patience_ms = lock_waits().patience_ms();
  const uint64_t most_ms = TimeLimit::most_ms();
  if (most_ms == 0 || mode_ == engine::Mode::kReadWrite) return patience_ms;
  return static_cast<uint32_t>(std::min<uint64_t>(patience_ms, most_ms));
}

// Other tables would be held for as long as the wait lasts, so they are given back first.
void MysqlSession::begin_waiting(uint32_t most_ms) {
  const uint32_t patience_ms = this->patience_ms();
  time_bounds_wait_ = patience_ms < lock_waits().patience_ms();
  spent_ms_ = patience_ms - std::min(most_ms, patience_ms);
  if (cursors_.open().size() > 1 && !transaction_.is_block()) give_back_tables();
  server_.begin_waiting(most_ms);
}

void MysqlSession::end_waiting() {
  time_limit_.end();
  time_bounds_wait_ = false;
  spent_ms_ = 0;
  server_.end_waiting();
}

// --- specs and cursors ---

Result<engine::Cursor*> MysqlSession::cursor(const engine::IndexSpecPtr& spec) {
  lock_waits().forget_refused();
  // As in SQL, a KILL QUERY that comes while nothing runs has no effect.
  if (!statement_open_ && (!transaction_.is_open() || transaction_.is_block())) forget_kill();
  if (lock_waits().may_wait() && mode_ == engine::Mode::kReadOnly) time_limit_.begin(spent_ms_);
  if (MysqlCursor* const cursor = cursors_.find_open(spec)) return cursor;
  auto opened = open_cursor(spec);
  if (!opened) return std::move(opened.error());
  return *opened;
}

// --- requests ---

Result<void> MysqlSession::begin_request(engine::Cursor& cursor, engine::Access access,
                                         engine::Rows rows) {
  if (should_stop()) return ErrorCode::kShutdown;
  auto& target = static_cast<MysqlCursor&>(cursor);
  server_.entry().work_on(target.subject(), what_of(access));
  is_find_ = access == engine::Access::kRead;
  if (is_find_ && lock_waits().may_wait()) time_limit_.begin(spent_ms_);
  if (!count_request(command_of(access))) return Error::access_denied(ER_USER_LIMIT_REACHED);
  if (!audit_.note(account_, target.database(), target.table(), command_of(access)))
    return take_error(0);
  auto begun =
      mode_ == engine::Mode::kReadOnly ? begin_read(target) : begin_write(target, access, rows);
  if (begun) {
    current_ = &target;
  } else {
    take_back_if_repeated();
  }
  return begun;
}

Result<void> MysqlSession::begin_read(MysqlCursor& cursor) {
  if (!statement_open_) {
    server_.begin_statement(SQLCOM_SELECT);
    statement_open_ = true;
  }
  if (std::find(locked_cursors_.begin(), locked_cursors_.end(), &cursor) != locked_cursors_.end())
    return {};
  const TableWait wait(server_);
  if (!cursor.lock_for_read()) {
    const Error error = take_lock_error();
    if (transaction_.is_block()) end_read_statement();
    return error;
  }
  server_.entry().show_name();
  locked_cursors_.push_back(&cursor);
  bump(engine_.counters().table_lock);
  return {};
}

Result<void> MysqlSession::end_request() {
  time_limit_.end();
  current_ = nullptr;
  if (transaction_.is_block()) counted_.forget();
  if (mode_ == engine::Mode::kReadWrite) return end_write();
  end_read();
  return {};
}

void MysqlSession::undo_request() {
  take_back_if_repeated();
  current_ = nullptr;
  if (mode_ == engine::Mode::kReadWrite) return undo_write();
  end_read();
}

void MysqlSession::end_read() {
  if (transaction_.is_block()) end_read_statement();
}

void MysqlSession::end_read_statement() {
  unlock_readers();
  if (was_rolled_back()) {
    trans_rollback_stmt(thd_);
    transaction_.lose();
  } else {
    trans_commit_stmt(thd_);
  }
  thd_->clear_error();
  server_.end_statement();
  statement_open_ = false;
  // As in SQL: FLUSH TABLES waits for tables that are open, and not for their metadata locks.
  if (transaction_.is_block()) close_tables();
}

Result<void> MysqlSession::commit() {
  committed_ = {};
  lock_waits().forget_refused();
  if (transaction_.is_block()) return commit_block();
  Result<void> result;
  if (mode_ == engine::Mode::kReadOnly) {
    if (statement_open_) end_read_statement();
  } else if (transaction_.is_open()) {
    result = commit_write();
  }
  if (result) counted_.forget();
  if (result) deadlocks_ = 0;
  return result;
}

void MysqlSession::rollback() {
  lock_waits().forget_refused();
  if (transaction_.is_block()) return roll_back_block();
  if (mode_ == engine::Mode::kReadOnly) {
    (void)commit();
    return;
  }
  // Its requests are executed again.
  if (transaction_.is_lost()) counted_.take_back_all();
  counted_.forget();
  undo_transaction();
  give_way_to_waiting();
}

// Behind a deadlock whoever waited has the lock now, but must still wake up, and look whether it has it
// alone. A request that looks for a row that is not there locks its place at once, however many others do.
// So those that were undone would be at it again before anybody has inserted the row.
void MysqlSession::give_way_to_waiting() {
  if (!std::exchange(was_deadlock_, false)) return;
  const unsigned longest_us = 1000U << std::min(deadlocks_++, 5U);
  server_.on_wait_begin(THD_WAIT_SLEEP);
  std::this_thread::sleep_for(std::chrono::microseconds(draw_() % longest_us));
  server_.on_wait_end();
}

}  // namespace hs::mysql
