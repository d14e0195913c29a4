// SPDX-License-Identifier: GPL-2.0-only
// The engine interface on a real MariaDB server.
//
// Keeps the list of sessions, through which the server's shutdown and the plugin's removal reach
// them.
#pragma once

#include <atomic>

#include "adapter/library_engine.h"
#include "adapter/session_list.h"
#include "mariadb/account.h"
#include "mariadb/gtid.h"

namespace hs::mariadb {

class MariaSession;

class MariaEngine final : public adapter::LibraryEngine {
 public:
  std::unique_ptr<engine::Session> make_session(engine::Mode mode, std::string_view name) override;
  bool wait_until_ready() override;
  uint64_t wanted_descriptors() const override;
  bool is_stopping() const override { return stopping() || abort_loop; }
  bool is_read_only() const override { return opt_readonly; }
  Result<engine::AccountPtr> log_in(const engine::Credentials& credentials) override;

  void interrupt() override;

  adapter::SessionList<MariaSession>& sessions() { return sessions_; }

  Privileges& privileges() { return privileges_; }
  Gtids& gtids() { return gtids_; }

  bool stopping() const { return stopping_.load(std::memory_order_relaxed); }

 private:
  Privileges privileges_;
  Gtids gtids_;
  std::atomic<bool> stopping_{false};
  adapter::SessionList<MariaSession> sessions_;
};

}  // namespace hs::mariadb
