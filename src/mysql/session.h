// SPDX-License-Identifier: GPL-2.0-only
// One session inside the server: its transaction, and the tables it has.
//
// How long things are held (see ARCHITECTURE.md, "Locks"):
//   a table's metadata lock    from its first use until release(), which comes at once when another
//                              session waits for it
//   a TABLE                    read port: as long as the metadata lock; write port: one statement, for
//                              which the server opens it with all that its changes reach, as for SQL's
//   an engine lock             read port: until commit(); write port: one statement
// The read port runs a batch as one autocommitted statement, the write port as one transaction.
// What does not need a server is decided in src/adapter.
#pragma once

#include "mysql/server_headers.h"
// (before anything else)
#include <atomic>
#include <random>
#include <string>
#include <vector>

#include "adapter/counted_requests.h"
#include "adapter/kept_cursors.h"
#include "adapter/kept_rights.h"
#include "adapter/transaction.h"
#include "engine/engine.h"
#include "mysql/account.h"
#include "mysql/audit.h"
#include "mysql/lent_session.h"
#include "mysql/server_session.h"
#include "mysql/time_limit.h"

namespace hs::mysql {

class HeldDefinition;
class MysqlCursor;
class MysqlEngine;

class MysqlSession final : public engine::Session {
 public:
  MysqlSession(MysqlEngine& engine, THD* thd, engine::Mode mode, std::string_view name);
  ~MysqlSession() override;

  void enter(engine::SessionEvents events) override { server_.enter(events); }
  void leave() override;

  void act_for(const engine::Account* account) override {
    account_ = static_cast<const MysqlAccount*>(account);
  }
  const engine::Rights& rights(engine::Cursor& cursor) override;
  Result<void> open(const engine::IndexSpecPtr& spec) override;
  Result<void> describe(const engine::Described& what, engine::DescriptionRows& rows) override;
  Result<mapping::TableShape> shape(std::string_view database, std::string_view table) override;
  bool sees(std::string_view database, std::string_view table) override;
  void look_for_news(bool thorough, mapping::TableNews& news) override;
  Result<engine::Cursor*> cursor(const engine::IndexSpecPtr& spec) override;
  bool is_open(const engine::IndexSpecPtr& spec) const override;
  bool can_undo(const engine::IndexSpecPtr& spec) const override;
  Result<void> begin_request(engine::Cursor& cursor, engine::Access access,
                             engine::Rows rows) override;
  void set_reads_view(bool reads_view) override { reads_view_ = reads_view; }
  void set_keeps_locks(bool keeps_locks) override { keeps_locks_ = keeps_locks; }
  void end_view() override;
  Result<void> end_request() override;
  void undo_request() override;
  bool must_wait() const override { return lock_waits().must_wait(); }
  uint32_t patience_ms() const override;
  void begin_waiting(uint32_t most_ms) override;
  void end_waiting() override;
  bool transaction_lost() const override;
  Result<void> begin_transaction(const engine::TransactionOptions& options) override;
  bool reads_again_alike() const override { return thd_->tx_isolation != ISO_READ_UNCOMMITTED; }
  bool may_try() const override { return !server_.rolls_back_on_timeout(); }
  Result<void> set_savepoint(std::string_view name) override;
  Result<void> roll_back_to(std::string_view name) override;
  Result<void> commit() override;
  void rollback() override;
  engine::Gtid last_gtid() const override { return committed_; }
  bool has_binary_log() const override { return mysql_bin_log.is_open(); }
  Result<bool> has_applied(std::string_view gtids, engine::GtidMark& mark) override;
  bool has_uncommitted_changes() const override { return transaction_.has_changes(); }
  bool after_batch() override;
  void interrupt() override { server_.kill(THD::KILL_QUERY); }
  void forget_interrupt() override { forget_kill(); }
  bool is_waited_for() const override;
  void release() override;
  void takes_long() override;
  bool should_stop() const override;

  THD* thd() const { return thd_; }
  // Null: the requests are nobody's.
  const MysqlAccount* account() const { return account_; }
  ServerSession& server() { return server_; }
  Privileges& privileges();
  adapter::RightsRoom& rights_room() { return rights_room_; }
  ProcessEntry& process_entry() { return server_.entry(); }
  engine::Mode mode() const { return mode_; }
  // See engine::SessionEvents.
  void works(uint32_t rows) { server_.works(rows); }
  // Marks that the running request has changed a row.
  void note_change() { transaction_.note_change(); }
  // Around the triggers of one event. A trigger may take long, and does not report its work as a request
  // does. So for other threads it is a wait.
  void begin_trigger() {
    transaction_.note_change();
    server_.on_wait_begin(THD_WAIT_SLEEP);
  }
  void end_trigger() { server_.on_wait_end(); }

  // The error of a call that failed with the handler's `number` (0 when it has none): the server's
  // own error, or the number itself. Clears the server's error state.
  Error take_error(int number);
  // The error of a trigger that failed, as SQL tells it. A row that it did not get is as one that the
  // request itself does not get.
  Error take_trigger_error();
  // The error of an open or lock that failed: kLockTables when a lock was not granted in time.
  Error take_lock_error();

 private:
  Error take_error_as(int number, Error (*tell)(const Diagnostics_area&));
  static enum_sql_command command_of(engine::Access access);
  bool count_request(enum_sql_command command);
  void take_back_if_repeated();
  void forget_kill();
  void note_lock(int number, const Error& error);
  void give_way_to_waiting();
  adapter::LockWaits& lock_waits() { return server_.lock_waits(); }
  const adapter::LockWaits& lock_waits() const { return server_.lock_waits(); }
  Result<void> begin_read(MysqlCursor& cursor);
  void end_read();
  void unlock_readers();
  void end_read_statement();
  // session_tables.cc
  Result<void> prepare_to_open();
  Result<MysqlCursor*> open_cursor(const engine::IndexSpecPtr& spec);
  Result<void> try_open(MysqlCursor& cursor);
  size_t most_open_cursors() const;
  void note_locks();
  void give_back_tables();
  void close_tables();
  // describe.cc
  Result<void> prepare_to_describe();
  Result<void> begin_describe();
  Result<void> describe_databases(engine::DescriptionRows& rows);
  Result<void> describe_tables(const std::string& database, engine::DescriptionRows& rows);
  Result<void> describe_table(const std::string& database, const std::string& table,
                              bool of_indexes, engine::DescriptionRows& rows);
  Error no_definition(const HeldDefinition& definition);
  // table_shape.cc
  Result<mapping::TableShape> read_shape(const std::string& database, const std::string& table);
  Result<mapping::TableShape> open_for_shape(const std::string& database, const std::string& table);
  // session_write.cc
  Result<void> begin_write(MysqlCursor& cursor, engine::Access access, engine::Rows rows);
  Result<void> try_begin_write(MysqlCursor& cursor, engine::Access access, engine::Rows rows,
                               bool* is_deadlock);
  Result<void> end_write();
  void undo_write();
  MysqlCursor& statement_cursor() const;
  std::optional<Error> refusal_of_triggers(const MysqlCursor& cursor);
  void end_changes();
  bool close_statement();
  bool lock_for_view(MysqlCursor& cursor);
  void abandon_statement();
  void end_write_statement();
  void decide_fate(bool must_roll_back);
  Result<void> commit_write();
  bool commit_changes();
  void undo_transaction();
  bool was_rolled_back() const { return thd_->transaction_rollback_request; }
  // gtid.cc
  Gtid last_used_gtid() const;
  void note_gtid();
  // session_transaction.cc
  Result<void> end_step(bool failed);
  Result<void> commit_block();
  void roll_back_block();
  void end_block();

  static void bump(std::atomic<uint64_t>& counter) {
    counter.fetch_add(1, std::memory_order_relaxed);
  }

  MysqlEngine& engine_;
  ServerSession server_;
  THD* const thd_;
  const engine::Mode mode_;

  const MysqlAccount* account_ = nullptr;  // of act_for()
  LentSession lent_;
  adapter::CountedRequests<MysqlAccount, enum_sql_command> counted_;
  TableAudit audit_;
  TimeLimit time_limit_;
  bool is_find_ = false;           // the request that was begun last
  bool time_bounds_wait_ = false;  // the time limit ends a wait in vain before the lock's own does
  uint64_t spent_ms_ = 0;          // for which the find was parked
  adapter::RightsRoom rights_room_;  // outlives the cursors

  bool was_deadlock_ = false;  // one has ended the transaction, which has waited for locks
  unsigned deadlocks_ = 0;     // such since the last commit
  std::minstd_rand draw_{static_cast<unsigned>(server_.thd()->thread_id())};

  adapter::KeptCursors<MysqlCursor> cursors_;
  std::vector<MDL_ticket*> locks_;            // of all tables that it has
  std::vector<MysqlCursor*> locked_cursors_;  // locked for reading until commit()
  MysqlCursor* current_ = nullptr;            // the cursor of the running request
  bool statement_open_ = false;               // read port: a batch has begun
  bool keeps_locks_ = false;
  bool reads_view_ = false;           // outside of a block
  bool statement_is_view_ = false;    // the open statement of the write port is a plain read
  adapter::Transaction transaction_;  // write port, and every block
  bool can_undo_changes_ = true;      // what it has changed
  Gtid logged_before_ = {0, 0};       // this session's last one when the transaction began
  engine::Gtid committed_;            // of the last commit
};

}  // namespace hs::mysql
