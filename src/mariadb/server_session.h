// SPDX-License-Identifier: GPL-2.0-only
// A session of ours as the server knows it: its THD, in the process list, with the settings of a
// new connection, killable, and telling when it waits.
//
// It is made in no thread, and used by the one that it is in. Whatever thread kills it, the session
// tells the one that it is in.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <optional>
#include <string_view>

#include "adapter/lock_waits.h"
#include "adapter/settings_age.h"
#include "engine/engine.h"
#include "mariadb/disk_full.h"
#include "mariadb/process_entry.h"

namespace hs::mariadb {

class ServerSession {
 public:
  // Any thread. Takes `thd`, a background THD. It waits at most `lock_timeout_s` seconds for a
  // table or the like.
  ServerSession(THD* thd, std::string_view name, unsigned lock_timeout_s);
  // Any thread; the one that it is in, if it is in one.
  ~ServerSession();
  ServerSession(const ServerSession&) = delete;
  ServerSession& operator=(const ServerSession&) = delete;

  // As engine::Session's: the server moves the THD in and out of the calling thread. A THD of the
  // thread's own, as the one of an SQL connection, stands aside meanwhile.
  void enter(engine::SessionEvents events);
  void leave();
  bool is_in_thread() const { return is_in_thread_; }

  THD* thd() const { return thd_; }
  ProcessEntry& entry() { return *entry_; }

  // The global settings as they are now, and those that this session must have. It lives long: it
  // follows SET GLOBAL as new connections do, each time it starts to use tables.
  void take_settings();
  // Whether a session that is never idle should take them again.
  bool settings_are_old() const { return settings_age_.is_old(thd_->start_time); }

  // What the server does in front of each statement. The THD's memory of the one before stays.
  void begin_statement(enum_sql_command command);

  // Whether it waits for locks that other sessions hold. begin_waiting() and end_waiting() are
  // LockWaits::begin() and end(), told to the server.
  adapter::LockWaits& lock_waits() { return lock_waits_; }
  const adapter::LockWaits& lock_waits() const { return lock_waits_; }
  void begin_waiting(uint32_t most_ms);
  void end_waiting();

  // Whether the server ends. A kill at shutdown may be forgotten with an earlier kill, abort_loop
  // is not.
  bool is_shut_down() const { return abort_loop || thd_->killed >= KILL_SERVER; }

  // The server calls these when the thread begins (thd_wait_type) and ends to wait, where it says
  // so; where it does not, the code that waits does.
  void on_wait_begin(int type);
  void on_wait_end();
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
  unsigned& row_wait_s();
  void set_row_wait();

  THD* const thd_;
  engine::SessionEvents events_;  // changed under LOCK_thd_kill, which a thread that kills holds
  const unsigned lock_timeout_s_;
  bool is_in_thread_ = false;
  // What the thread had of its own before the session came.
  THD* threads_thd_ = nullptr;
  void* threads_mysys_variables_ = nullptr;
  PSI_thread* threads_psi_ = nullptr;
  // What the server calls about this THD; it finds its way back by the address.
  struct Scheduler : scheduler_functions {
    ServerSession* session;
  } scheduler_{};
  scheduler_functions* saved_scheduler_ = nullptr;
  FullDiskHandler full_disk_handler_;
  std::optional<ProcessEntry> entry_;
  adapter::SettingsAge settings_age_;
  adapter::LockWaits lock_waits_;
  const sys_var* row_wait_ = nullptr;  // innodb_lock_wait_timeout; null: there is no InnoDB
  int silent_waits_ = 0;  // that have begun and are over at once: nothing is told of them
};

// Calls `try_lock` (true: done), which waits for the server's table locks, a second at a time: they
// do not see that a background thread is killed. False: it failed, with the error raised.
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

// While it lives, the session waits for tables as its LockWaits say. Elsewhere, as in a commit
// that a backup holds off, the usual time applies.
class TableWait {
 public:
  explicit TableWait(ServerSession& session)
      : setting_(session.thd()->variables.lock_wait_timeout), usual_(setting_) {
    setting_ = session.lock_waits().wait_s(adapter::LockWaits::Lock::kTable);
  }
  ~TableWait() { setting_ = usual_; }
  TableWait(const TableWait&) = delete;
  TableWait& operator=(const TableWait&) = delete;

 private:
  ulong& setting_;
  const ulong usual_;
};

}  // namespace hs::mariadb
