// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/server_headers.h"
// (before anything else)
#include <algorithm>

#include "mariadb/engine.h"
#include "mariadb/login.h"
#include "mariadb/session.h"

namespace hs::mariadb {

std::unique_ptr<engine::Session> MariaEngine::make_session(engine::Mode mode,
                                                           std::string_view name) {
  // The server allocates the THD, since only the server knows its size.
  THD* thd = create_background_thd();
  if (thd == nullptr) return nullptr;
  auto session = std::make_unique<MariaSession>(*this, thd, mode, name);
  sessions_.add(session.get());
  return session;
}

bool MariaEngine::wait_until_ready() {
  mysql_mutex_lock(&LOCK_server_started);
  while (!mysqld_server_started && !stopping() && !abort_loop) {
    // The condition is not signalled when start-up fails, so the wait ends now and then.
    timespec until;
    set_timespec(until, 1);
    mysql_cond_timedwait(&COND_server_started, &LOCK_server_started, &until);
  }
  mysql_mutex_unlock(&LOCK_server_started);
  return !stopping() && !abort_loop;
}

// Counts as mysqld.cc does: two for each open table, which MyISAM and Aria need, and 30 for
// temporary files. InnoDB keeps its own files open: as many as the table cache has places, unless
// innodb_open_files says otherwise.
uint64_t MariaEngine::wanted_descriptors() const {
  constexpr uint64_t kTemporary = 30;
  constexpr uint64_t kLogs = 64;  // binary, relay, redo and undo logs, Aria's, those of statements
  constexpr uint64_t kForEachTable = 3;
  return uint64_t{max_connections} + extra_max_connections + kForEachTable * tc_size + kTemporary +
         kLogs;
}

Result<engine::AccountPtr> MariaEngine::log_in(const engine::Credentials& credentials) {
  if (stopping()) return ErrorCode::kShutdown;
  return mariadb::log_in(credentials, privileges_);
}

void MariaEngine::interrupt() {
  stopping_.store(true, std::memory_order_relaxed);
  sessions_.for_each([](MariaSession& session) { session.thd()->awake(KILL_CONNECTION); });
}

}  // namespace hs::mariadb
