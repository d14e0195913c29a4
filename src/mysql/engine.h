// SPDX-License-Identifier: GPL-2.0-only
// The engine interface on a real MySQL server.
//
// Keeps the list of sessions, through which the server's shutdown and the plugin's removal reach
// them.
#pragma once

#include "mysql/server_headers.h"
// (before anything else)
#include <atomic>
#include <vector>

#include "base/mutex.h"
#include "engine/engine.h"
#include "mysql/account.h"

namespace hs::mysql {

class MysqlSession;

class MysqlEngine final : public engine::Engine {
 public:
  std::unique_ptr<engine::Session> make_session(engine::Mode mode, std::string_view name) override;
  Result<engine::AccountPtr> log_in(const engine::Credentials& credentials) override;
  bool wait_until_ready() override;
  uint64_t wanted_descriptors() const override;
  bool is_stopping() const override;
  bool is_read_only() const override { return opt_readonly; }

  // Any thread: makes every session stop. A session that waits in the server (for a row, a table,
  // start-up) is interrupted, and should_stop() becomes true. To be called before Server::stop().
  void interrupt();

  // What all sessions have done so far.
  struct Counters {
    std::atomic<uint64_t> table_open{0};    // tables opened
    std::atomic<uint64_t> table_close{0};   // how often a session gave back its tables
    std::atomic<uint64_t> table_lock{0};    // tables locked
    std::atomic<uint64_t> table_unlock{0};  // tables unlocked
  };
  Counters& counters() { return counters_; }

  Privileges& privileges() { return privileges_; }

  size_t sessions() const { return session_count_.load(std::memory_order_relaxed); }
  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }

 private:
  friend class MysqlSession;
  void add(MysqlSession* session);
  void remove(MysqlSession* session);

  Counters counters_;
  Privileges privileges_;
  std::atomic<bool> stopping_{false};
  Mutex mutex_;
  std::vector<MysqlSession*> sessions_ HS_GUARDED_BY(mutex_);
  std::atomic<size_t> session_count_{0};  // sessions_.size()
};

}  // namespace hs::mysql
