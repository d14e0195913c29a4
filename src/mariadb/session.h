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
//
// There, requests of the same kind that follow each other and change one row at most share a
// statement, as the rows of INSERT IGNORE do: a row that the engine refuses leaves nothing behind,
// and the statement goes on. All others have one of their own, so that what they changed can be
// undone alone.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <atomic>
#include <string>
#include <unordered_map>
#include <vector>

#include "adapter/transaction.h"
#include "engine/engine.h"
#include "mariadb/server_session.h"

namespace hs::mariadb {

class MariaCursor;
class MariaEngine;

class MariaSession final : public engine::Session {
 public:
  MariaSession(MariaEngine& engine, THD* thd, engine::Mode mode, std::string_view name,
               unsigned lock_timeout_s);
  ~MariaSession() override;

  void enter(engine::SessionEvents events) override { server_.enter(events); }
  void leave() override { server_.leave(); }

  Result<void> open(const engine::IndexSpecPtr& spec) override;
  Result<engine::Cursor*> cursor(const engine::IndexSpecPtr& spec) override;
  bool is_open(const engine::IndexSpecPtr& spec) const override;
  bool can_undo(const engine::IndexSpecPtr& spec) const override;
  Result<void> begin_request(engine::Cursor& cursor, engine::Access access,
                             engine::Rows rows) override;
  Result<void> end_request() override;
  void undo_request() override;
  bool must_wait() const override { return lock_waits().must_wait(); }
  uint32_t patience_ms() const override { return lock_waits().patience_ms(); }
  void begin_waiting(uint32_t most_ms) override;
  void end_waiting() override { server_.end_waiting(); }
  bool transaction_lost() const override { return transaction_.is_lost(); }
  Result<void> commit() override;
  void rollback() override;
  bool has_uncommitted_changes() const override { return transaction_.has_changes(); }
  bool after_batch() override;
  bool is_waited_for() const override;
  void release() override;
  void takes_long() override { server_.entry().show(); }
  bool should_stop() const override;

  THD* thd() const { return thd_; }
  ProcessEntry& process_entry() { return server_.entry(); }
  engine::Mode mode() const { return mode_; }

  // A change of the running request would reach tables that were not opened for it: it is to be
  // undone and executed again.
  Error must_reopen();

  // See engine::SessionEvents.
  void works(uint32_t rows) { server_.works(rows); }

  // Marks that the running request has changed a row.
  void note_change() { transaction_.note_change(); }

  // The error of a call that failed with the handler's `number` (0 when it has none): what the
  // server reported, or the number itself. Clears the server's error state.
  Error take_error(int number);
  // The error of an open or lock that failed: kLockTables when it was waited for in vain.
  Error take_lock_error();

 private:
  MariaCursor* find_open(const engine::IndexSpecPtr& spec) const;
  Result<MariaCursor*> open_cursor(const engine::IndexSpecPtr& spec);
  Result<void> try_open(MariaCursor& cursor);
  Result<void> begin_read(MariaCursor& cursor);
  Result<void> begin_write(MariaCursor& cursor, engine::Access access, engine::Rows rows);
  void begin_statement(enum_sql_command command);
  size_t most_open_cursors() const;
  adapter::LockWaits& lock_waits() { return server_.lock_waits(); }
  const adapter::LockWaits& lock_waits() const { return server_.lock_waits(); }
  void close_tables();
  void unlock_readers();
  MariaCursor& statement_cursor() const;
  bool close_statement();
  void abandon_statement();
  void unlock_statement();
  void settle_transaction();
  Result<void> reopen(MariaCursor& cursor);
  bool commit_transaction();
  void undo_transaction();
  void forget_kill();
  void note_lock(int number, const Error& error);

  static void bump(std::atomic<uint64_t>& counter) {
    counter.fetch_add(1, std::memory_order_relaxed);
  }

  MariaEngine& engine_;
  ServerSession server_;
  THD* const thd_;
  const engine::Mode mode_;

  std::unordered_map<const engine::IndexSpec*, std::unique_ptr<MariaCursor>> cursors_;
  mutable MariaCursor* recent_ = nullptr;     // of cursors_, the last that was asked for
  std::vector<MariaCursor*> open_cursors_;    // with a TABLE
  std::vector<MariaCursor*> locked_cursors_;  // locked for reading until commit()
  MariaCursor* current_ = nullptr;            // of the running request
  bool statement_open_ = false;               // read port: a batch has begun
  adapter::Transaction transaction_;          // write port
  uint64_t logged_before_ = 0;  // by this session, when the transaction began: the last GTID
};

}  // namespace hs::mariadb
