// SPDX-License-Identifier: GPL-2.0-only
// A thread of ours as the server knows it: its THD, in the process list, with the settings of a new
// connection, killable, and telling when it waits.
//
// Made, used and destroyed by the thread itself; who kills it may be any.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <string>

#include "engine/port.h"
#include "mariadb/disk_full.h"

namespace hs::mariadb {

class ServerThread {
 public:
  // Takes `thd`, a background THD, and attaches it to this thread. It waits at most
  // `lock_timeout_s` seconds for a table or the like.
  ServerThread(THD* thd, std::string_view name, engine::SessionEvents events,
               unsigned lock_timeout_s);
  ~ServerThread();
  ServerThread(const ServerThread&) = delete;
  ServerThread& operator=(const ServerThread&) = delete;

  THD* thd() const { return thd_; }

  // The global settings as they are now, and those that this thread must have. A worker lives long:
  // it follows SET GLOBAL as new connections do, each time it starts to use tables.
  void take_settings();
  // Whether a thread that is never idle should take them again.
  bool settings_are_old() const;

  // Whether it waits for rows that others have locked, or gives up at once. It does after
  // take_settings().
  void set_patient(bool patient);
  bool is_patient() const { return patient_; }

  // Whether the server ends. A kill at shutdown may be forgotten with an earlier kill, abort_loop
  // is not.
  bool is_shut_down() const { return abort_loop || thd_->killed >= KILL_SERVER; }

  // The server calls these when the thread begins (thd_wait_type) and ends to wait, where it says
  // so; where it does not, whoever waits does.
  void on_wait_begin(int type);
  void on_wait_end() { events_.wait_ends(events_.context); }

 private:
  void on_kill() { events_.wake(events_.context); }
  void listen();
  unsigned& row_patience_s();

  THD* const thd_;
  const engine::SessionEvents events_;
  const unsigned lock_timeout_s_;
  const std::string name_;
  void* saved_mysys_variables_ = nullptr;
  // What the server calls about this THD; it finds its way back by the address.
  struct Scheduler : scheduler_functions {
    ServerThread* thread;
  } scheduler_{};
  scheduler_functions* saved_scheduler_ = nullptr;
  FullDiskHandler full_disk_handler_;
  time_t settings_time_s_ = 0;             // of the last take_settings()
  const sys_var* row_patience_ = nullptr;  // innodb_lock_wait_timeout; null: there is no InnoDB
  unsigned usual_row_patience_s_ = 0;
  bool patient_ = true;
};

}  // namespace hs::mariadb
