// SPDX-License-Identifier: GPL-2.0-only
// The engine interface on a real MySQL server.
//
// Keeps the list of sessions, through which the server's shutdown and the plugin's removal reach
// them.
#pragma once

#include "mysql/server_headers.h"
// (before anything else)
#include <atomic>

#include "adapter/library_engine.h"
#include "adapter/session_list.h"
#include "mysql/account.h"

namespace hs::mysql {

class MysqlSession;

class MysqlEngine final : public adapter::LibraryEngine {
 public:
  MysqlEngine();
  ~MysqlEngine() override;
  std::unique_ptr<engine::Session> make_session(engine::Mode mode, std::string_view name) override;
  Result<engine::AccountPtr> log_in(const engine::Credentials& credentials) override;
  bool wait_until_ready() override;
  uint64_t wanted_descriptors() const override;
  bool is_stopping() const override;
  bool is_read_only() const override { return opt_readonly; }

  void interrupt() override;

  Privileges& privileges() { return privileges_; }

  adapter::SessionList<MysqlSession>& sessions() { return sessions_; }
  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }

 private:
  Privileges privileges_;
  std::atomic<bool> stopping_{false};
  adapter::SessionList<MysqlSession> sessions_;
};

}  // namespace hs::mysql
