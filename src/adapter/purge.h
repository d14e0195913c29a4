// Deletes rows that have expired, on a thread of its own. What of it depends on the server it asks its
// PurgeHost.
//
// In each round, some ten times a second, it goes to every table that it knows of, by an index that
// begins with the column, and deletes in small transactions what has expired, as a client would.
// Between two of them it gives back what another session waits for, and behind the round everything.
// So no row is locked while it pauses, and DDL waits for one small transaction at most.
//
// Only where changes are made: not on a server that is read-only, nor on one that is set up as a
// replica, since that gets the deletes from its primary. Each round looks anew.
//
// It learns of tables when they are opened through the ports. Those that are never opened it finds
// among the definitions (PurgeHost::take_with_ttl()). What it finds on the way are the names
// by which other front ends reach tables (mapping/directory.h), and it keeps these up to date.
// A table that cannot be opened or read is tried again after a second, and then less and less often. So is a row
// that cannot be deleted, and meanwhile what is behind it is.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapter/expiring_cursor.h"
#include "adapter/ttl_tables.h"
#include "base/mutex.h"
#include "engine/engine.h"
#include "mapping/directory.h"

namespace hs::adapter {

// The server, as the purge sees it. Used by the purge's thread.
class PurgeHost {
 public:
  virtual ~PurgeHost() = default;

  // Most rows to be deleted in a second, at present.
  virtual unsigned rows_per_second() = 0;
  // Why nothing is deleted here; empty: it may be.
  virtual std::string_view reason_not_to() = 0;
  // Between two requests: whether there is such a table, of which cursors can be opened.
  virtual bool is_there(engine::Session& session, const mapping::TableName& table) = 0;
  virtual ExpiringCursor& expiring(engine::Cursor& cursor) = 0;
  // Before a request: what it does not delete is not kept locked, nor are the gaps.
  virtual void lock_little(engine::Session& session) = 0;
  // Behind a request that has failed: whether the server has undone the whole transaction.
  virtual bool was_rolled_back(engine::Session& session) = 0;

  virtual mapping::Directory& directory() = 0;
  // From here on all definitions are looked at once more.
  virtual void look_again() = 0;
  // Tables whose comment may have a `ttl=` and that a look has found, at most `most`. Each is given once.
  virtual std::vector<mapping::TableName> take_with_ttl(size_t most) = 0;

  virtual void log_error(std::string_view message) = 0;
};

class Purge {
 public:
  Purge(engine::Engine& engine, PurgeHost& host) : engine_(engine), host_(host) {}
  Purge(const Purge&) = delete;
  Purge& operator=(const Purge&) = delete;

  // The work of the thread, which waits until the server is ready. Returns after stop(), or when the
  // server shuts down.
  void run();
  // Any thread.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;
  using TableName = mapping::TableName;

  // What has failed, and is left alone for a while: for a second at first, and each time for longer.
  struct PutOff {
    Clock::duration pause;
    Clock::time_point next_try;

    PutOff();
    bool is_over() const { return Clock::now() >= next_try; }
    void put_off_again();
  };

  // A row that cannot be deleted although nobody has it locked: children or a trigger refuse it, or the
  // engine does.
  struct Refused : PutOff {
    Clock::time_point met;  // when a walk has come to it last
  };

  // What a transaction has done in a table.
  struct Step {
    uint64_t rows = 0;
    bool is_more = false;      // the table may have more rows that have expired
    bool is_torn = false;      // one behind those could not be erased
    int64_t behind_s = 0;      // of the last one
    std::string reached;       // ExpiringCursor::place_of_expired() of the last one, or
                               // place_of_now() behind it
    Clock::duration search{};  // the time until the first one was found
  };

  // Of a transaction that has failed.
  struct Failure {
    uint64_t undone = 0;      // how many rows were deleted before, and were undone
    bool is_lasting = false;  // it would fail again at once
    std::string
        row;  // ExpiringCursor::row_of_expired() of the one that cannot be deleted, if it is one's
  };

  // A table that is purged. At the beginning of its index there may be many entries of rows that are
  // gone: the history of a versioned table, and what the engine keeps for the views of others. So a
  // walk goes on where the last one has ended. From time to time one begins at the beginning, since
  // a row may be written with a time that is over for long.
  struct Known {
    engine::IndexSpecPtr spec;
    std::string reached;       // where the next walk begins
    Clock::duration search{};  // of the walk from the beginning
    Clock::time_point next_beginning{};
    Clock::time_point begun{};       // when the last walk from the beginning did
    bool is_from_beginning = false;  // the walk that is not over yet
    std::map<std::string, Refused, std::less<>> refused;
    std::string why_refused;  // of the last one
    // In this round:
    bool rests = false;  // it ends with a pause of the table's own
    int new_left = 0;    // rows that may be refused newly
    int again_left = 0;  // and that are tried again and refused
  };

  void work();
  void round(Clock::time_point now);
  void add_to_allowance(Clock::time_point now);
  void walk();
  void read_containers();
  void open_unknown(const TableName& name);
  bool is_put_off(const TableName& name) const;
  bool put_off(const TableName& name);
  void purge(const TtlTable& table);
  static void begin_walk(Known& known);
  static void end_walk(Known& known);
  static void forget_gone(Known& known);
  static bool note_refused(Known& known, const std::string& row, const Error& error);
  Result<Step> delete_some(Known& known, uint64_t most);
  Result<Step> delete_at_once(Known& known, uint64_t most, Failure* failure);
  Result<void> delete_rows(ExpiringCursor& cursor, Known& known, uint64_t most, Step* step,
                           std::string* refused);
  Known& known(const TtlTable& table);
  void forget_others(const std::vector<TtlTable>& tables);
  void pause_until(Clock::time_point end);
  bool should_stop();

  engine::Engine& engine_;
  PurgeHost& host_;
  std::unique_ptr<engine::Session> session_;
  std::vector<Known> known_;
  std::map<TableName, PutOff> put_off_;  // tables that are there
  size_t turn_ = 0;                      // of the table with which a round begins
  static constexpr uint64_t kRow = 1'000'000;
  uint64_t allowance_ = 0;  // rows that may be deleted now, in millionths
  Clock::time_point last_round_{};
  bool is_behind_ = false;  // the round has left rows that have expired
  Clock::time_point next_walk_{};
  Clock::time_point next_containers_{};
  PutOff containers_;  // their table, when it cannot be read

  Mutex mutex_;
  Condition changed_;
  bool stops_ HS_GUARDED_BY(mutex_) = false;
  bool is_woken_ HS_GUARDED_BY(mutex_) = false;
};

}  // namespace hs::adapter
