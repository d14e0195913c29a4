// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/session.h"

#include <algorithm>
#include <optional>

#include "adapter/open_tables.h"
#include "mariadb/cursor.h"
#include "mariadb/engine.h"

namespace hs::mariadb {
namespace {

using Lock = adapter::LockWaits::Lock;

// Cursors of specs that nobody has open any more are dropped when a session holds more than this
// many.
constexpr size_t kSweepCursorsAt = 256;

// Opening a table is as much work as going to so many rows.
constexpr uint32_t kRowsWorthAnOpen = 256;

ProcessEntry::What what_of(engine::Access access) {
  switch (access) {
    case engine::Access::kInsert:
      return ProcessEntry::What::kInsert;
    case engine::Access::kUpdate:
      return ProcessEntry::What::kUpdate;
    case engine::Access::kDelete:
      return ProcessEntry::What::kDelete;
    case engine::Access::kRead:
      break;
  }
  return ProcessEntry::What::kFind;
}

enum_sql_command command_of(engine::Access access) {
  switch (access) {
    case engine::Access::kInsert:
      return SQLCOM_INSERT;
    case engine::Access::kUpdate:
      return SQLCOM_UPDATE;
    case engine::Access::kDelete:
      return SQLCOM_DELETE;
    case engine::Access::kRead:
      break;
  }
  return SQLCOM_SELECT;
}

// The server itself goes on without its binary log after an error that it cannot mend: when it
// could not open the next file. From there on replicas and recovery would miss every change.
bool log_was_switched_off() { return opt_bin_log && !mysql_bin_log.is_open(); }

Error log_is_off() {
  static std::atomic_flag said;
  if (!said.test_and_set())
    sql_print_error(
        "handlersocket: the server has switched its binary log off; changes are refused until it "
        "is "
        "restarted");
  return Error::sql(ER_BINLOG_LOGGING_IMPOSSIBLE, "The server has switched its binary log off");
}

// Why the server as it is now takes no changes, whatever table they are for. Not to be kept: all of
// it may change while tables are open.
std::optional<Error> refusal(engine::Access access) {
  if (access == engine::Access::kRead) return {};
  if (opt_readonly || global_system_variables.tx_read_only)
    return Error{ErrorCode::kLockTables, 0, {}};
  // Changes would not reach the other nodes of a Galera cluster.
  if (WSREP_ON) return Error{ErrorCode::kUnsupportedTable, 0, {}};
  if (log_was_switched_off()) return log_is_off();
  return {};
}

}  // namespace

MariaSession::MariaSession(MariaEngine& engine, THD* thd, engine::Mode mode, std::string_view name,
                           unsigned lock_timeout_s)
    : engine_(engine), server_(thd, name, lock_timeout_s), thd_(thd), mode_(mode) {}

MariaSession::~MariaSession() {
  if (!server_.is_in_thread()) enter({});
  rollback();
  release();
  cursors_.clear();
  engine_.remove(this);
}

bool MariaSession::should_stop() const { return engine_.stopping() || server_.is_shut_down(); }

// A KILL of this session's entry in the process list ends what is running, not the session.
void MariaSession::forget_kill() {
  if (thd_->killed != NOT_KILLED && !should_stop()) thd_->reset_killed();
}

Error MariaSession::take_error(int number) {
  Diagnostics_area* area = thd_->get_stmt_da();
  Error error{ErrorCode::kEngine, number, {}};
  if (thd_->killed != NOT_KILLED) {
    error = Error{should_stop() ? ErrorCode::kShutdown : ErrorCode::kInterrupted, 0, {}};
  } else if (number == 0 || number == HA_ERR_RBR_LOGGING_FAILED) {
    if (number != 0) transaction_.note_log_failure();
    error = area->is_error() ? Error::sql(static_cast<int>(area->sql_errno()), area->message())
                             : Error::engine(HA_ERR_GENERIC);
  } else if (number == HA_ERR_AUTOINC_READ_FAILED && lock_waits().may_wait()) {
    // The lock of the table's AUTO_INCREMENT was waited for in vain.
    error = Error::engine(HA_ERR_LOCK_WAIT_TIMEOUT);
  }
  if (number == HA_ERR_LOCK_WAIT_TIMEOUT ||
      (error.code == ErrorCode::kSql && error.number == ER_LOCK_WAIT_TIMEOUT))
    transaction_.note_timeout();
  note_lock(number, error);
  thd_->clear_error();
  return error;
}

// Whether the call failed for want of a lock.
void MariaSession::note_lock(int number, const Error& error) {
  // An AUTO_INCREMENT value that cannot be had is a lock that was not waited for, too.
  const bool of_engine = number == HA_ERR_LOCK_WAIT_TIMEOUT || number == HA_ERR_AUTOINC_READ_FAILED;
  const bool of_server = error.code == ErrorCode::kSql && error.number == ER_LOCK_WAIT_TIMEOUT;
  if (of_engine || of_server) lock_waits().note_refused(of_engine ? Lock::kRow : Lock::kTable);
}

// What is held open would be held for as long as the wait lasts.
void MariaSession::begin_waiting(uint32_t most_ms) {
  if (open_cursors_.size() > 1) release();
  server_.begin_waiting(most_ms);
}

// The same for a table that could not be locked or opened: to have waited in vain is one thing to
// the client, whatever it was for.
Error MariaSession::take_lock_error() {
  Error error = take_error(0);
  if (error.code == ErrorCode::kSql &&
      (error.number == ER_LOCK_WAIT_TIMEOUT || error.number == ER_LOCK_DEADLOCK))
    error = Error{ErrorCode::kLockTables, 0, {}};
  return error;
}

// --- specs and cursors ---

Result<void> MariaSession::open(const engine::IndexSpecPtr& spec) {
  auto opened = cursor(spec);
  if (!opened) return opened.error();
  return {};
}

// The cursor with an open table; null: there is none.
MariaCursor* MariaSession::find_open(const engine::IndexSpecPtr& spec) const {
  if (recent_ == nullptr || recent_->spec() != spec) {
    const auto found = cursors_.find(spec.get());
    if (found == cursors_.end()) return nullptr;
    recent_ = found->second.get();
  }
  return recent_->is_open() ? recent_ : nullptr;
}

bool MariaSession::is_open(const engine::IndexSpecPtr& spec) const {
  return find_open(spec) != nullptr;
}

bool MariaSession::can_undo(const engine::IndexSpecPtr& spec) const {
  const MariaCursor* const cursor = find_open(spec);
  return cursor == nullptr || cursor->can_undo();
}

Result<engine::Cursor*> MariaSession::cursor(const engine::IndexSpecPtr& spec) {
  lock_waits().forget_refused();
  // As in SQL, a KILL QUERY that comes when nothing runs ends nothing.
  if (!statement_open_ && !transaction_.is_open()) forget_kill();
  if (MariaCursor* const cursor = find_open(spec)) return cursor;
  auto opened = open_cursor(spec);
  if (!opened) return std::move(opened.error());
  return *opened;
}

Result<MariaCursor*> MariaSession::open_cursor(const engine::IndexSpecPtr& spec) {
  auto found = cursors_.find(spec.get());
  if (found == cursors_.end()) {
    if (cursors_.size() >= kSweepCursorsAt) {
      // Closing is all or nothing in the server, so only cursors without a table can go; and those
      // do, whether or not a client has the index open: there may be any number of them.
      recent_ = nullptr;
      std::erase_if(cursors_, [](const auto& entry) { return !entry.second->is_open(); });
    }
    found = cursors_.emplace(spec.get(), std::make_unique<MariaCursor>(*this, spec)).first;
  }
  MariaCursor& cursor = *found->second;
  // Neither row locks of finds nor a view of the data are anything to hold on to while a table is
  // waited for; and what a table has become since, an older view cannot see.
  if (!transaction_.has_changes()) (void)commit();
  if (open_cursors_.empty() && !transaction_.is_open()) server_.take_settings();
  if (!close_statement()) {
    transaction_.lose();
    return take_error(0);
  }

  // Others must not be held while a table is waited for, nor too many at any time.
  if (lock_waits().may_wait() ||
      (open_cursors_.size() >= most_open_cursors() && !transaction_.is_open()))
    release();

  Result<void> opened = try_open(cursor);
  for (int more = 2; !opened && more > 0 && !transaction_.is_open(); --more) {
    if (opened.error().code != ErrorCode::kEngine) break;
    trans_commit_stmt(thd_);
    close_tables();
    // Before release(): what is to be recovered is written down in memory of the statement.
    cursor.recover_failed_open();
    release();
    opened = try_open(cursor);
  }
  if (!opened) {
    trans_commit_stmt(thd_);
    if (!transaction_.is_open()) free_root(thd_->mem_root, MYF(MY_KEEP_PREALLOC));
    if (opened.error().code == ErrorCode::kEngine) return ErrorCode::kLockTables;
    return opened.error();
  }
  open_cursors_.push_back(&cursor);
  bump(engine_.counters().table_open);
  works(kRowsWorthAnOpen);
  if (!transaction_.is_open()) thd_->mdl_context.release_statement_locks();
  return &cursor;
}

// Opens the cursor, or leaves nothing of the try behind: neither tables nor locks, whatever else
// the session has open.
Result<void> MariaSession::try_open(MariaCursor& cursor) {
  const TableWait wait(server_);
  server_.entry().work_on(cursor.subject(), ProcessEntry::What::kOpen);
  begin_statement(SQLCOM_SELECT);
  TABLE* const opened_before = thd_->open_tables;
  const MDL_savepoint locked_before = thd_->mdl_context.mdl_savepoint();
  Result<void> opened = cursor.open();
  if (opened) return opened;
  cursor.forget_table();
  while (thd_->open_tables != opened_before) close_thread_table(thd_, &thd_->open_tables);
  thd_->mdl_context.rollback_to_savepoint(locked_before);
  return opened;
}

bool MariaSession::is_waited_for() const {
  return std::any_of(open_cursors_.begin(), open_cursors_.end(),
                     [](const MariaCursor* cursor) { return cursor->somebody_waits(); });
}

size_t MariaSession::most_open_cursors() const {
  return adapter::most_open_tables(tc_size, engine_.sessions());
}

bool MariaSession::after_batch() {
  server_.entry().set_idle();
  forget_kill();
  if (is_waited_for() || server_.settings_are_old() || open_cursors_.size() > most_open_cursors())
    release();
  return !open_cursors_.empty();
}

void MariaSession::close_tables() {
  if (!open_cursors_.empty()) bump(engine_.counters().table_close);
  for (MariaCursor* cursor : open_cursors_) cursor->forget_table();
  open_cursors_.clear();
  close_thread_tables(thd_);
  thd_->release_transactional_locks();
}

void MariaSession::release() {
  if (transaction_.is_open() || !locked_cursors_.empty()) (void)commit();
  close_tables();
  free_root(thd_->mem_root, MYF(MY_KEEP_PREALLOC));
}

// --- requests ---

void MariaSession::begin_statement(enum_sql_command command) {
  server_.entry().set_active();
  server_.entry().show();
  thd_->reset_for_next_command();
  thd_->get_stmt_da()->reset_current_row_for_warning(1);
  thd_->set_query_id(next_query_id());
  thd_->set_time();
  // With what it keeps of the tables that the statement before has written.
  thd_->lex->reset_query_tables_list(false);
  thd_->lex->sql_command = command;
  thd_->variables.sql_mode = global_system_variables.sql_mode;
  thd_->variables.time_zone = global_system_variables.time_zone;
}

Result<void> MariaSession::begin_request(engine::Cursor& cursor, engine::Access access,
                                         engine::Rows rows) {
  if (should_stop()) return ErrorCode::kShutdown;
  auto& target = static_cast<MariaCursor&>(cursor);
  server_.entry().work_on(target.subject(), what_of(access));
  auto begun =
      mode_ == engine::Mode::kReadOnly ? begin_read(target) : begin_write(target, access, rows);
  if (begun) current_ = &target;
  return begun;
}

Result<void> MariaSession::begin_read(MariaCursor& cursor) {
  if (!statement_open_) {
    begin_statement(SQLCOM_SELECT);
    statement_open_ = true;
  }
  if (std::find(locked_cursors_.begin(), locked_cursors_.end(), &cursor) != locked_cursors_.end())
    return {};
  const TableWait wait(server_);
  if (!cursor.lock_for_read()) return take_lock_error();
  locked_cursors_.push_back(&cursor);
  bump(engine_.counters().table_lock);
  return {};
}

Result<void> MariaSession::begin_write(MariaCursor& cursor, engine::Access access,
                                       engine::Rows rows) {
  transaction_.begin_request();
  if (auto refused = refusal(access)) return *refused;
  if (cursor.lacks_children())
    if (auto reopened = reopen(cursor); !reopened) return reopened;
  const bool can_share = rows == engine::Rows::kOne && cursor.undoes_rows();
  const adapter::Transaction::Statement statement{&cursor, access, can_share};
  if (transaction_.joins(statement)) {
    // Each request has a time of its own; NOW() keeps the one it has seen as long as the id of the
    // query stays the same.
    thd_->set_time();
    thd_->set_query_id(next_query_id());
    cursor.take_query_id();
    return {};
  }
  if (!close_statement()) {
    transaction_.lose();
    return take_error(0);
  }
  begin_statement(command_of(access));
  if (!transaction_.is_open()) {
    thd_->variables.option_bits |= OPTION_BEGIN;
    thd_->server_status |= SERVER_STATUS_IN_TRANS;
    transaction_.begin();
    logged_before_ = thd_->get_last_commit_gtid().seq_no;
  }
  const TableWait wait(server_);
  MDL_request protection;
  MDL_REQUEST_INIT(&protection, MDL_key::BACKUP, "", "", cursor.protection_type(), MDL_STATEMENT);
  const bool locked = !thd_->mdl_context.acquire_lock(
                          &protection, static_cast<double>(thd_->variables.lock_wait_timeout)) &&
                      // It may have become so while FLUSH TABLES WITH READ LOCK was waited for.
                      !refusal(access) && cursor.lock_for_write(access);
  if (!locked) {
    const auto refused = refusal(access);
    const Error error = refused ? *refused : take_lock_error();
    trans_rollback_stmt(thd_);
    settle_transaction();
    return error;
  }
  transaction_.begin_statement(statement);
  bump(engine_.counters().table_lock);
  return {};
}

Result<void> MariaSession::end_request() {
  MariaCursor* cursor = std::exchange(current_, nullptr);
  if (mode_ == engine::Mode::kReadOnly) {
    if (!cursor->locks_in_engine()) unlock_readers();
    return {};
  }
  // What such a table keeps cannot be undone, so a KILL comes too late for it.
  if (transaction_.request_has_changes() && !cursor->can_undo()) thd_->reset_killed();
  if (!transaction_.end_request() || close_statement()) return {};
  const Error error = take_error(0);
  (void)transaction_.settle(thd_->transaction_rollback_request);
  return error;
}

MariaCursor& MariaSession::statement_cursor() const {
  return static_cast<MariaCursor&>(*transaction_.statement().cursor);
}

// Keeps what the open statement has changed. False: it was undone, with the error raised.
bool MariaSession::close_statement() {
  if (!transaction_.has_statement()) return true;
  statement_cursor().end_index();
  if (transaction_.statement_has_changes()) statement_cursor().invalidate_query_cache();
  const bool log_failed = thd_->binlog_flush_pending_rows_event(true) != 0;
  if (log_failed) transaction_.note_log_failure();
  const bool failed = log_failed || trans_commit_stmt(thd_);
  if (failed) trans_rollback_stmt(thd_);
  unlock_statement();
  return !failed;
}

// Undoes what the open statement has changed.
void MariaSession::abandon_statement() {
  if (!transaction_.has_statement()) return;
  statement_cursor().end_index();
  // Tables that know no rollback keep what was changed.
  if (transaction_.statement_has_changes()) statement_cursor().invalidate_query_cache();
  trans_rollback_stmt(thd_);
  unlock_statement();
}

void MariaSession::undo_request() {
  MariaCursor* cursor = std::exchange(current_, nullptr);
  if (mode_ == engine::Mode::kReadOnly) {
    if (!cursor->locks_in_engine()) unlock_readers();
    return;
  }
  if (transaction_.undo_request(thd_->transaction_rollback_request)) {
    abandon_statement();
    settle_transaction();
  }
  thd_->clear_error();
}

// What becomes of the transaction of a request that has failed and was undone.
void MariaSession::settle_transaction() {
  const auto fate = transaction_.settle(thd_->transaction_rollback_request);
  if (fate == adapter::Transaction::Fate::kOver) undo_transaction();
}

// To be executed again behind a commit.
Error MariaSession::must_reopen() {
  lock_waits().note_refused(Lock::kTable);
  return Error{ErrorCode::kLockTables, 0, {}};
}

// The tables that changes of the cursor's table reach are no longer those that were opened with it.
Result<void> MariaSession::reopen(MariaCursor& cursor) {
  if (transaction_.has_changes()) return must_reopen();
  release();
  auto opened = open_cursor(cursor.spec());
  if (!opened) return opened.error();
  return {};
}

// The end of the write port's statement, after its commit or rollback.
void MariaSession::unlock_statement() {
  transaction_.end_statement();
  mysql_unlock_tables(thd_, thd_->lock);
  thd_->lock = nullptr;
  bump(engine_.counters().table_unlock);
  for (TABLE* table = thd_->open_tables; table != nullptr; table = table->next)
    if (table->query_id == thd_->query_id) table->file->ha_reset();
}

void MariaSession::unlock_readers() {
  for (MariaCursor* cursor : locked_cursors_) {
    cursor->unlock_read();
    bump(engine_.counters().table_unlock);
  }
  locked_cursors_.clear();
}

// False: the transaction was rolled back, with the error raised.
bool MariaSession::commit_transaction() {
  const ulong rollbacks = thd_->status_var.ha_rollback_count;
  if (!trans_commit(thd_)) return true;
  // What fails behind the commit (the next file of the binary log cannot be made) is an error, too,
  // but undoes nothing; the server itself logs it.
  return thd_->status_var.ha_rollback_count == rollbacks;
}

Result<void> MariaSession::commit() {
  Result<void> result;
  lock_waits().forget_refused();
  if (mode_ == engine::Mode::kReadOnly) {
    if (!statement_open_) return result;
    unlock_readers();
    trans_commit_stmt(thd_);
    statement_open_ = false;
  } else {
    if (!transaction_.is_open()) return result;
    if (!close_statement()) {
      result = take_error(0);
      rollback();
      transaction_.lose();
      return result;
    }
    const bool changed = transaction_.has_changes();
    // The server does not say when it waits for those who commit at the same time.
    if (changed) server_.on_wait_begin(THD_WAIT_BINLOG);
    const bool undone = !commit_transaction();
    if (changed) server_.on_wait_end();
    if (undone) {
      result = take_lock_error();
      trans_rollback(thd_);
    } else if (changed && log_was_switched_off() &&
               thd_->get_last_commit_gtid().seq_no == logged_before_) {
      // Switched off while this was on its way: it is in the tables and not in the log.
      result = log_is_off();
    }
    thd_->mdl_context.release_statement_locks();
    transaction_.end();
  }
  thd_->clear_error();
  free_root(thd_->mem_root, MYF(MY_KEEP_PREALLOC));
  return result;
}

void MariaSession::rollback() {
  lock_waits().forget_refused();
  if (mode_ == engine::Mode::kReadOnly) {
    (void)commit();
    return;
  }
  undo_transaction();
}

void MariaSession::undo_transaction() {
  if (transaction_.is_open()) {
    abandon_statement();
    trans_rollback_stmt(thd_);
    trans_rollback(thd_);
    thd_->mdl_context.release_statement_locks();
  }
  transaction_.end();
  thd_->clear_error();
  free_root(thd_->mem_root, MYF(MY_KEEP_PREALLOC));
}

}  // namespace hs::mariadb
