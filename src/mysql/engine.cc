// SPDX-License-Identifier: GPL-2.0-only
#include "mysql/server_headers.h"
// (before anything else)
#include "mysql/definition_news.h"
#include "mysql/engine.h"
#include "mysql/login.h"
#include "mysql/session.h"
#include "mysql/wait_hooks.h"

namespace hs::mysql {

MysqlEngine::MysqlEngine() {
  install_wait_hooks();
  install_definition_hook();
}

MysqlEngine::~MysqlEngine() {
  remove_definition_hook();
  (void)remove_wait_hooks();
}

std::unique_ptr<engine::Session> MysqlEngine::make_session(engine::Mode mode,
                                                           std::string_view name) {
  THD* const thd = ServerSession::make_thd();
  if (thd == nullptr) return nullptr;
  auto session = std::make_unique<MysqlSession>(*this, thd, mode, name);
  sessions_.add(session.get());
  return session;
}

Result<engine::AccountPtr> MysqlEngine::log_in(const engine::Credentials& credentials) {
  if (stopping()) return ErrorCode::kShutdown;
  return mysql::log_in(credentials, privileges_);
}

bool MysqlEngine::is_stopping() const { return stopping() || ServerSession::is_shut_down(); }

bool MysqlEngine::wait_until_ready() {
  mysql_mutex_lock(&LOCK_server_started);
  while (!mysqld_server_started && !is_stopping()) {
    // The condition is not signalled when start-up fails, so the wait ends now and then.
    timespec until;
    set_timespec(&until, 1);
    mysql_cond_timedwait(&COND_server_started, &LOCK_server_started, &until);
  }
  mysql_mutex_unlock(&LOCK_server_started);
  if (is_stopping()) return false;
  install_wait_hooks();
  return true;
}

// Counts as mysqld.cc does: two for each open table, which MyISAM needs, and ten for logs. InnoDB keeps
// its own files open: as many as the table cache has places, unless innodb_open_files says otherwise.
uint64_t MysqlEngine::wanted_descriptors() const {
  constexpr uint64_t kTemporary = 30;
  constexpr uint64_t kLogs = 64;  // binary, relay, redo and undo logs, those of statements
  constexpr uint64_t kForEachTable = 3;
  return uint64_t{max_connections} + kForEachTable * table_cache_size + kTemporary + kLogs;
}

void MysqlEngine::interrupt() {
  stopping_.store(true, std::memory_order_relaxed);
  sessions_.for_each([](MysqlSession& session) { session.server().kill(THD::KILL_CONNECTION); });
}

}  // namespace hs::mysql
