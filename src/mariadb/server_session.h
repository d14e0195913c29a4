// SPDX-License-Identifier: GPL-2.0-only
// A session as the server knows it: its THD, in the process list, with the settings of a new
// connection. It can be killed, and it reports when it waits.
//
// It is made in no thread, and used by the thread that it is in. A KILL may come from any thread;
// the session then wakes the thread that it is in.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <optional>
#include <string_view>
#include <utility>

#include "adapter/lock_waits.h"
#include "adapter/settings_age.h"
#include "engine/session.h"
#include "in_server/table_wait.h"
#include "mariadb/disk_full.h"
#include "mariadb/process_entry.h"
#include "mariadb/row_waits.h"

namespace hs::mariadb {

using in_server::TableWait;

class ServerSession {
 public:
  // Any thread. Takes over `thd`, a background THD. `writes`: on a node of a Galera cluster, what it
  // changes is replicated.
  ServerSession(THD* thd, std::string_view name, bool writes);
  // Any thread. If the session is in a thread, only that one.
  ~ServerSession();
  ServerSession(const ServerSession&) = delete;
  ServerSession& operator=(const ServerSession&) = delete;

  // As engine::Session's: the server moves the THD into and out of the calling thread. If the
  // thread has a THD of its own (that of an SQL connection), it is put aside meanwhile.
  void enter(engine::SessionEvents events);
  void leave();
  bool is_in_thread() const { return is_in_thread_; }

  THD* thd() const { return thd_; }
  ProcessEntry& entry() { return *entry_; }

  // Takes the present global settings, and those that this session must have. A session lives long,
  // but follows SET GLOBAL as new connections do: it takes them each time it begins to use tables.
  void take_settings();
  // The same in the middle of a transaction, after what users wrote has run in the session.
  void restore_settings();
  // Whether a session that is never idle should take the settings again.
  bool settings_are_old() const { return settings_age_.is_old(thd_->start_time); }

  // Each change has its own time, and warnings of its own. NOW() keeps the time it has seen while the id
  // of the query stays the same, so each gets an id of its own, too.
  void begin_query();
  // Does what the server does before each statement. The THD keeps the memory of the last one.
  void begin_statement(enum_sql_command command);

  // Whether the session waits for locks that other sessions hold. begin_waiting() and end_waiting()
  // call LockWaits::begin() and end(), and pass the result on to the server.
  adapter::LockWaits& lock_waits() { return lock_waits_; }
  const adapter::LockWaits& lock_waits() const { return lock_waits_; }
  void begin_waiting(uint32_t most_ms);
  void end_waiting();
  // Whether a row's lock that is not granted in time costs the whole transaction
  // (innodb_rollback_on_timeout).
  bool rolls_back_on_timeout() const { return rolls_back_on_timeout_; }

  // Whether the server shuts down. A kill at shutdown may be reset together with an earlier kill;
  // abort_loop is never reset.
  bool is_shut_down() const { return abort_loop || thd_->killed >= KILL_SERVER; }

  // Called when the thread begins to wait (thd_wait_type) and when it has waited. The server calls
  // them where it reports waits; elsewhere the code that waits does.
  void on_wait_begin(int type);
  void on_wait_end();
  // The same of a wait for room on a full disk, of which the end is not told: see RoomWait.
  void wait_for_room() {
    if (!std::exchange(waits_for_room_, true)) on_wait_begin(THD_WAIT_SLEEP);
  }
  void end_wait_for_room() {
    if (waits_for_room_) [[unlikely]] {
      waits_for_room_ = false;
      on_wait_end();
    }
  }
  // See engine::SessionEvents.
  void works(uint32_t rows) {
    if (events_.works != nullptr) events_.works(events_.context, rows);
  }

 private:
  class Visit;
  void attach();
  void detach();
  void set_events(engine::SessionEvents events);
  void on_kill();
  void listen();
  void limit_row_waits() {
    row_waits_.limit(thd_, lock_waits_.wait_s(adapter::LockWaits::Lock::kRow));
  }

  THD* const thd_;
  engine::SessionEvents events_;  // changed under LOCK_thd_kill, which a thread that kills holds
  bool is_in_thread_ = false;
  // What the thread had of its own before the session entered.
  THD* threads_thd_ = nullptr;
  void* threads_mysys_variables_ = nullptr;
  PSI_thread* threads_psi_ = nullptr;
  // The server's callbacks for this THD. They find the session by this object's address.
  struct Scheduler : scheduler_functions {
    ServerSession* session;
  } scheduler_{};
  scheduler_functions* saved_scheduler_ = nullptr;
  FullDiskHandler full_disk_handler_{*this};
  bool waits_for_room_ = false;
  std::optional<ProcessEntry> entry_;
  adapter::SettingsAge settings_age_;
  adapter::LockWaits lock_waits_;
  RowWaits row_waits_;
  bool rolls_back_on_timeout_ = false;
  const bool writes_;
  int silent_waits_ = 0;  // waits that have begun and are not reported, since they end at once
};

// Calls `try_lock` (true: done), which waits for the server's table locks, a second at a time,
// since they do not notice that a background thread is killed. False: it failed, and the error is
// raised.
template <class TryLock>
bool lock_killably(THD* thd, TryLock try_lock) {
  ulong& slice_s = thd->variables.lock_wait_timeout;
  const ulong most_s = slice_s;
  bool locked = false;
  for (ulong left_s = most_s;; --left_s) {
    slice_s = left_s < 1 ? 0 : 1;
    locked = try_lock();
    if (locked || left_s <= 1 || thd->killed != NOT_KILLED ||
        thd->get_stmt_da()->sql_errno() != ER_LOCK_WAIT_TIMEOUT)
      break;
    thd->clear_error();
  }
  slice_s = most_s;
  return locked;
}

// A wait for room on a full disk that has begun is over when this goes.
class RoomWait {
 public:
  explicit RoomWait(ServerSession& session) : session_(session) {}
  ~RoomWait() { session_.end_wait_for_room(); }
  RoomWait(const RoomWait&) = delete;
  RoomWait& operator=(const RoomWait&) = delete;

 private:
  ServerSession& session_;
};

}  // namespace hs::mariadb
