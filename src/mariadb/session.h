// SPDX-License-Identifier: GPL-2.0-only
// One session inside the server: its transaction, and the tables it keeps open.
//
// How long things are held (see ARCHITECTURE.md, "Locks"):
//   a TABLE and its metadata lock      from its first use until release(), which comes at once when
//                                      another session waits for it
//   an engine lock (external_lock)     read port: until commit(); write port: one statement
//   protection against a global        write port: from the first request of a batch until
//   read lock                          commit()
// The read port runs a batch as one autocommitted statement, the write port as one transaction.
// What does not need a server is decided in src/adapter.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "adapter/kept_cursors.h"
#include "adapter/transaction.h"
#include "engine/engine.h"
#include "mariadb/account_use.h"
#include "mariadb/cluster_part.h"
#include "mariadb/lent_session.h"
#include "mariadb/server_session.h"
#include "mariadb/time_limit.h"

namespace hs::mariadb {

class HeldDefinition;
class MariaCursor;
class MariaEngine;

// Whether SQL's error ends the request whatever it works on: its time is over, or the session would
// take more memory than it may (max_session_mem_used).
inline bool ends_request(const Error& error) {
  return error.code == ErrorCode::kSql &&
         (error.number == ER_STATEMENT_TIMEOUT || error.number == ER_OPTION_PREVENTS_STATEMENT);
}

class MariaSession final : public engine::Session {
 public:
  MariaSession(MariaEngine& engine, THD* thd, engine::Mode mode, std::string_view name);
  ~MariaSession() override;

  void enter(engine::SessionEvents events) override { server_.enter(events); }
  void leave() override;

  void act_for(const engine::Account* account) override;
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
  bool transaction_lost() const override { return transaction_.is_lost() || block_was_killed(); }
  Result<void> begin_transaction(const engine::TransactionOptions& options) override;
  bool reads_again_alike() const override { return thd_->tx_isolation != ISO_READ_UNCOMMITTED; }
  bool takes_transactions() const override;
  bool gave_way() const override { return cluster_.gave_way(); }
  bool is_outcome_unknown() const override {
    return cluster_.ending() == ClusterPart::Ending::kUnknown;
  }
  bool may_try() const override { return !server_.rolls_back_on_timeout(); }
  Result<void> set_savepoint(std::string_view name) override;
  Result<void> roll_back_to(std::string_view name) override;
  Result<void> commit() override;
  void rollback() override;
  engine::Gtid last_gtid() const override;
  bool has_binary_log() const override { return mysql_bin_log.is_open(); }
  Result<bool> has_applied(std::string_view gtids, engine::GtidMark& mark) override;
  bool has_uncommitted_changes() const override { return transaction_.has_changes(); }
  bool after_batch() override;
  void interrupt() override { thd_->awake(KILL_QUERY); }
  void forget_interrupt() override { forget_kill(); }
  bool is_waited_for() const override;
  void release() override;
  void takes_long() override;
  bool should_stop() const override;

  THD* thd() const { return thd_; }
  Privileges& privileges();
  adapter::RightsRoom& rights_room() { return rights_room_; }
  ProcessEntry& process_entry() { return server_.entry(); }
  engine::Mode mode() const { return mode_; }

  // A change of the running request would reach tables that were not opened for it. The request is
  // to be undone and executed again.
  Error must_reopen();

  // After a try to open tables, which are in front of `opened_before` in THD::open_tables. True: this
  // session was killed meanwhile, and the server will not keep these tables for others.
  bool discard_if_killed(const TABLE* opened_before);

  // See engine::SessionEvents.
  void works(uint32_t rows) { server_.works(rows); }

  // Marks that the running request has changed a row.
  void note_change() { transaction_.note_change(); }

  // From lend() to take_back() the server may run triggers. From begin_trigger() to end_trigger()
  // one runs.
  void lend();
  void take_back();
  void begin_trigger();
  void end_trigger() { server_.on_wait_end(); }
  // A lock was not granted by an engine that does not tell the server when it waits (MyRocks).
  void note_unreported_wait() { engine_is_silent_ = true; }
  bool waits_for_locks() const { return lock_waits().may_wait(); }

  // The error of a call that failed with the handler's `number` (0 when it has none): the server's
  // own error, or the number itself. Clears the server's error state.
  Error take_error(int number);
  // The same of an error that the engine has raised in the THD, in its own words.
  Error take_engines_own_error();
  // The error of an open or lock that failed: kLockTables when a lock was not granted in time.
  Error take_lock_error();

 private:
  static enum_sql_command command_of(engine::Access access);
  void forget_kill();
  Error reason_of_kill() const;
  uint64_t most_us() const;
  void take_back_if_repeated();
  void note_lock(int number, const Error& error);
  adapter::LockWaits& lock_waits() { return server_.lock_waits(); }
  const adapter::LockWaits& lock_waits() const { return server_.lock_waits(); }
  Result<void> begin_read(MariaCursor& cursor);
  void end_read(const MariaCursor& cursor);
  void unlock_readers();
  // session_tables.cc
  Result<void> prepare_to_open();
  Result<MariaCursor*> open_cursor(const engine::IndexSpecPtr& spec);
  Result<void> try_open(MariaCursor& cursor);
  size_t most_open_cursors() const;
  void close_open_tables();
  void close_tables();
  void give_back_tables();
  // describe.cc
  Result<void> prepare_to_describe();
  Result<void> begin_describe();
  static bool is_of_table(const Error& error);
  Result<void> hold(HeldDefinition& definition, const std::string& database,
                    const std::string& table, uint flags);
  Result<void> describe_databases(engine::DescriptionRows& rows);
  Result<void> describe_tables(const std::string& database, engine::DescriptionRows& rows);
  Result<void> describe_table(const std::string& database, const std::string& table,
                              bool of_indexes, engine::DescriptionRows& rows);
  // table_shape.cc
  Result<mapping::TableShape> read_shape(const std::string& database, const std::string& table);
  // session_write.cc
  Result<void> begin_write(MariaCursor& cursor, engine::Access access, engine::Rows rows);
  Result<void> end_write(const MariaCursor& cursor);
  void undo_write();
  MariaCursor& statement_cursor() const;
  bool close_statement();
  bool lock_for_view(MariaCursor& cursor);
  void abandon_statement();
  void unlock_statement();
  void decide_fate(bool must_roll_back);
  Result<void> reopen(MariaCursor& cursor);
  Result<void> commit_write();
  bool commit_transaction();
  void undo_transaction();
  bool was_rolled_back() const;
  std::optional<Error> refusal_of_cluster(const MariaCursor& cursor) const;
  bool end_in_cluster(bool failed);
  static rpl_gtid gtid_of_replayed();
  Error take_commit_error();
  bool is_killed_for_cluster() const;
  bool is_in_way_of_cluster() const;
  bool block_was_killed() const;
  bool is_in_way_of_ddl();

  // session_transaction.cc
  Result<void> end_step(bool failed);
  void end_statement_of_block();
  Result<void> commit_block();
  void roll_back_block();
  void end_block();
  void close_tables_of_block();

  static void bump(std::atomic<uint64_t>& counter) {
    counter.fetch_add(1, std::memory_order_relaxed);
  }

  MariaEngine& engine_;
  ServerSession server_;
  ClusterPart cluster_;
  THD* const thd_;
  const engine::Mode mode_;

  const MariaAccount* account_ = nullptr;  // of act_for()
  bool ignores_read_only_ = false;         // the account of the running request
  AccountUse account_use_;
  adapter::RightsRoom rights_room_;
  TimeLimit time_limit_;
  LentSession lent_;
  // While the session waits for locks:
  bool engine_is_silent_ = false;  // see note_unreported_wait(), until the wait begins
  bool reported_wait_ = false;     // in the place of the engine, until end_waiting()
  bool time_bounds_wait_ = false;  // the time limit ends a wait in vain before the lock's own does
  uint64_t spent_us_ = 0;          // for which the request was parked
  adapter::KeptCursors<MariaCursor> cursors_;
  std::vector<MariaCursor*> locked_cursors_;  // locked for reading until commit()
  MariaCursor* current_ = nullptr;            // the cursor of the running request
  bool statement_open_ = false;               // read port: a batch has begun
  adapter::Transaction transaction_;          // write port, and every block
  bool keeps_locks_ = false;
  bool reads_view_ = false;                // outside of a block
  bool statement_is_view_ = false;         // the open statement is a plain read
  bool changes_ignore_read_only_ = false;  // an account with a change in the transaction
  std::vector<MDL_ticket*> block_locks_;   // of tables that were closed in the block
  rpl_gtid logged_before_ = {};            // this session's last GTID when the transaction began
  rpl_gtid committed_ = {};                // of the last commit; its number is 0 without one
};

}  // namespace hs::mariadb
