// SPDX-License-Identifier: GPL-2.0-only
// A session as the server knows it: its THD, in the process list, with the settings of a new
// connection. It can be killed, and it reports when it waits.
//
// It is made in no thread, and used by the thread that it is in. A KILL may come from any thread;
// the session then wakes the thread that it is in.
#pragma once

#include "mysql/server_headers.h"
// (before anything else)
#include <optional>
#include <string_view>

#include "adapter/lock_waits.h"
#include "adapter/settings_age.h"
#include "engine/session.h"
#include "in_server/table_wait.h"
#include "mysql/process_entry.h"

namespace hs::mysql {

using in_server::TableWait;

class ServerSession {
 public:
  // Any thread. Takes over `thd`, which make_thd() has made.
  ServerSession(THD* thd, std::string_view name);
  // Any thread. If the session is in a thread, only that one.
  ~ServerSession();
  ServerSession(const ServerSession&) = delete;
  ServerSession& operator=(const ServerSession&) = delete;

  // Null: the server has no memory for one.
  static THD* make_thd();
  // Ends one that no session has taken over. It is in no thread.
  static void end_thd(THD* thd);

  // As engine::Session's. If the thread has a THD of its own (that of an SQL connection), it is put
  // aside meanwhile.
  void enter(engine::SessionEvents events);
  void leave();
  bool is_in_thread() const { return is_in_thread_; }

  THD* thd() const { return thd_; }
  ProcessEntry& entry() { return *entry_; }

  // Takes the present global settings, and those that this session must have. A session lives long,
  // but follows SET GLOBAL as new connections do: it takes them each time it begins to use tables.
  void take_settings();
  // The same in a transaction, which stays what it is.
  void restore_settings();
  // Whether a session that is never idle should take the settings again.
  bool settings_are_old() const { return settings_age_.is_old(thd_->query_start_in_secs()); }

  // Does what the server does before each statement and behind it. In between the statement's memory
  // lives.
  void begin_statement(enum_sql_command command);
  void end_statement();

  // Whether the session waits for locks that other sessions hold. begin_waiting() and end_waiting()
  // call LockWaits::begin() and end(), and pass the result on to the server.
  adapter::LockWaits& lock_waits() { return lock_waits_; }
  const adapter::LockWaits& lock_waits() const { return lock_waits_; }
  void begin_waiting(uint32_t most_ms);
  void end_waiting();
  // Whether a row's lock that is not granted in time costs the whole transaction
  // (innodb_rollback_on_timeout).
  bool rolls_back_on_timeout() const { return rolls_back_on_timeout_; }

  // A row or a table of the engine was locked by another session, and this one does not wait. What the
  // engine has been doing has failed as if it were killed. True once for each such failure.
  bool take_refused_wait();

  // Whether the server shuts down. A KILL may be forgotten, this never is.
  static bool is_shut_down() { return connection_events_loop_aborted(); }
  // Any thread. Ends what the session waits for or works at.
  void kill(THD::killed_state how);

  // Called when the thread begins to wait (thd_wait_type) and when it has waited. The server calls
  // them where it reports waits; elsewhere the code that waits does.
  void on_wait_begin(int type);
  void on_wait_end();
  // See engine::SessionEvents.
  void works(uint32_t rows) {
    if (events_.works != nullptr) events_.works(events_.context, rows);
  }
  // The server has killed this THD, and holds its LOCK_thd_data. False: it is none of a session.
  static bool wake(const THD* thd);

 private:
  class Visit;
  void attach();
  void detach();
  void set_events(engine::SessionEvents events);
  void give_up_wait();
  ulong* row_wait_s();
  void set_row_wait();

  THD* const thd_;
  engine::SessionEvents events_;  // changed under LOCK_thd_data, which a thread that kills holds
  bool is_in_thread_ = false;
  // What the thread had of its own before the session entered.
  THD* threads_thd_ = nullptr;
  ServerSession* threads_session_ = nullptr;
  PSI_thread* threads_psi_ = nullptr;
  std::optional<ProcessEntry> entry_;
  adapter::SettingsAge settings_age_;
  adapter::LockWaits lock_waits_;
  sys_var* row_wait_ = nullptr;  // innodb_lock_wait_timeout
  bool rolls_back_on_timeout_ = false;
  bool refused_wait_ = false;
  int silent_waits_ = 0;  // waits that have begun and are not reported, since they end at once
};

// While it lives, the calling thread is in `thd`, which no other thread uses, and what the thread had of
// its own is put aside.
class EnteredThd {
 public:
  explicit EnteredThd(THD* thd);
  ~EnteredThd();
  EnteredThd(const EnteredThd&) = delete;
  EnteredThd& operator=(const EnteredThd&) = delete;

 private:
  THD* const thd_;
  THD* const threads_thd_;
};

}  // namespace hs::mysql
