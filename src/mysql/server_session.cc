// SPDX-License-Identifier: GPL-2.0-only
#include "mysql/server_session.h"

#include <mutex>
#include <utility>
#include <vector>

#include "adapter/variables.h"
#include "mysql/wait_hooks.h"
#include "sql/protocol_classic.h"
#include "sql/sys_vars_shared.h"

namespace hs::mysql {

using Lock = adapter::LockWaits::Lock;

// Enters the thread without events, for the work on a session when it is made and when it ends.
class ServerSession::Visit {
 public:
  explicit Visit(ServerSession& session) : session_(session) { session_.attach(); }
  ~Visit() { session_.detach(); }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

 private:
  ServerSession& session_;
};

namespace {

std::mutex sessions_mutex;
std::vector<ServerSession*> sessions;

void put_back(THD* thd) {
  if (thd != nullptr) {
    thd->store_globals();
  } else {
    current_thd = nullptr;
    THR_MALLOC = nullptr;
  }
}

// The thread's entry in performance_schema.threads, which goes where the session goes. With it the
// server gives the thread its name in the system.
PSI_thread_key instrument_key() {
  static PSI_thread_key key;
  static PSI_thread_info threads[] = {
      {&key, "executor", "hs_exec", PSI_FLAG_NO_SEQNUM, 0, "Serves requests of HandlerSocket 2"}};
  static std::once_flag registered;
  std::call_once(registered, [] { mysql_thread_register("handlersocket", threads, 1); });
  return key;
}

sys_var* find_variable(std::string_view name) {
  mysql_rwlock_rdlock(&LOCK_system_variables_hash);
  sys_var* const found = intern_find_sys_var(name.data(), name.size());
  mysql_rwlock_unlock(&LOCK_system_variables_hash);
  return found;
}

bool is_on(THD* thd, std::string_view name) {
  sys_var* const variable = find_variable(name);
  if (variable == nullptr) return false;
  mysql_mutex_lock(&LOCK_global_system_variables);
  const bool on = *variable->value_ptr(thd, OPT_GLOBAL, {}) != 0;
  mysql_mutex_unlock(&LOCK_global_system_variables);
  return on;
}

}  // namespace

THD* ServerSession::make_thd() try {
  THD* const threads_thd = current_thd;
  THD* const thd = ::create_thd(true, true, false, instrument_key(), 0);
  // The server leaves it as it finds the memory, and the process list would show by it that a session
  // without a client sends or receives.
  thd->get_protocol_classic()->wipe_net();
  put_back(threads_thd);
  return thd;
} catch (const std::bad_alloc&) {
  return nullptr;
}

void ServerSession::end_thd(THD* thd) {
  {
    const EnteredThd entered(thd);
    thd->release_resources();
    current_thd = thd;
  }
  PSI_THREAD_CALL(delete_thread)(thd->get_psi());
  thd->set_psi(nullptr);
  delete thd;
}

EnteredThd::EnteredThd(THD* thd) : thd_(thd), threads_thd_(current_thd) {
  thd_->thread_stack = static_cast<const char*>(__builtin_frame_address(0));
  thd_->store_globals();
}

EnteredThd::~EnteredThd() {
  thd_->restore_globals();
  put_back(threads_thd_);
}

ServerSession::ServerSession(THD* thd, std::string_view name) : thd_(thd) {
  thd_->set_new_thread_id();
  PSI_THREAD_CALL(set_thread_id)(thd_->get_psi(), thd_->thread_id());
  const Visit visit(*this);
  lex_start(thd_);
  row_wait_ = find_variable("innodb_lock_wait_timeout");
  rolls_back_on_timeout_ = is_on(thd_, "innodb_rollback_on_timeout");
  take_settings();
  entry_.emplace(thd_, name);
  {
    const std::lock_guard lock(sessions_mutex);
    sessions.push_back(this);
  }
  // From here on KILL finds it, and shutdown waits for it.
  Global_THD_manager::get_instance()->add_thd(thd_);
}

ServerSession::~ServerSession() {
  if (is_in_thread_) leave();
  {
    const std::lock_guard lock(sessions_mutex);
    std::erase(sessions, this);
  }
  {
    const Visit visit(*this);
    entry_.reset();
    lex_end(thd_->lex);
    thd_->release_resources();
    current_thd = thd_;  // for detach()
  }
  PSI_THREAD_CALL(delete_thread)(thd_->get_psi());
  thd_->set_psi(nullptr);
  Global_THD_manager::get_instance()->remove_thd(thd_);
  delete thd_;
}

bool ServerSession::wake(const THD* thd) {
  const std::lock_guard lock(sessions_mutex);
  for (const ServerSession* session : sessions) {
    if (session->thd_ != thd) continue;
    if (session->events_.wake != nullptr) session->events_.wake(session->events_.context);
    return true;
  }
  return false;
}

// Transactions, tables and locks belong to the THD. Threads have nothing of their own in a server
// that was not built for debugging.
void ServerSession::attach() {
  threads_thd_ = current_thd;
  threads_session_ = std::exchange(session_of_thread, this);
  threads_psi_ = PSI_THREAD_CALL(get_thread)();
  thd_->thread_stack = static_cast<const char*>(__builtin_frame_address(0));
  thd_->store_globals();
  PSI_THREAD_CALL(set_thread)(thd_->get_psi());
}

void ServerSession::detach() {
  PSI_THREAD_CALL(set_thread)(threads_psi_);
  thd_->restore_globals();
  session_of_thread = threads_session_;
  put_back(threads_thd_);
}

void ServerSession::enter(engine::SessionEvents events) {
  attach();
  is_in_thread_ = true;
  set_events(events);
}

void ServerSession::leave() {
  set_events({});
  is_in_thread_ = false;
  detach();
}

// From here on a thread that kills the session wakes by the new events, and none uses the old ones
// any more.
void ServerSession::set_events(engine::SessionEvents events) {
  mysql_mutex_lock(&thd_->LOCK_thd_data);
  events_ = events;
  mysql_mutex_unlock(&thd_->LOCK_thd_data);
}

void ServerSession::kill(THD::killed_state how) {
  mysql_mutex_lock(&thd_->LOCK_thd_data);
  thd_->awake(how);
  mysql_mutex_unlock(&thd_->LOCK_thd_data);
}

void ServerSession::on_wait_begin(int type) {
  using Wait = engine::SessionEvents::Wait;
  const bool for_lock = type == THD_WAIT_ROW_LOCK || type == THD_WAIT_TABLE_LOCK;
  if (silent_waits_ > 0 || (for_lock && !lock_waits_.may_wait())) {
    ++silent_waits_;
    if (for_lock) give_up_wait();
    return;
  }
  entry_->show();
  if (events_.wait_begins != nullptr)
    events_.wait_begins(events_.context, type == THD_WAIT_DISKIO ? Wait::kRead : Wait::kOther);
}

void ServerSession::on_wait_end() {
  if (silent_waits_ > 0) {
    --silent_waits_;
  } else if (events_.wait_ends != nullptr) {
    events_.wait_ends(events_.context);
  }
}

// The shortest wait that the engine has is a second. So the session ends the wait that it is about to
// begin as a KILL would; the engine then undoes what it was doing, and nothing else.
void ServerSession::give_up_wait() {
  THD::killed_state not_killed = THD::NOT_KILLED;
  if (!thd_->killed.compare_exchange_strong(not_killed, THD::KILL_QUERY)) return;
  refused_wait_ = true;
  ha_kill_connection(thd_);
}

bool ServerSession::take_refused_wait() {
  if (!std::exchange(refused_wait_, false)) return false;
  // Any other KILL stays.
  THD::killed_state own = THD::KILL_QUERY;
  (void)thd_->killed.compare_exchange_strong(own, THD::NOT_KILLED);
  return true;
}

void ServerSession::take_settings() {
  // How foreign keys are checked is a property of the server, and not among the settings.
  const ulonglong kept = thd_->variables.option_bits & OPTION_USE_SQL_FOREIGN_KEY_HANDLING;
  thd_->session_sysvar_res_mgr.deinit();
  plugin_thdvar_init(thd_, true);
  System_variables& variables = thd_->variables;
  variables.pseudo_thread_id = thd_->thread_id();
  variables.character_set_client = variables.character_set_results =
      variables.collation_connection = &my_charset_utf8mb4_0900_ai_ci;
  thd_->update_charset();
  // Row changes are logged as rows, whatever the format for statements is.
  variables.binlog_format = BINLOG_FORMAT_ROW;
  variables.option_bits |= OPTION_BIN_LOG | kept;
  // The Info in the process list is no statement, so it is not logged.
  variables.binlog_rows_query_log_events = false;
  variables.option_bits &= ~(OPTION_NOT_AUTOCOMMIT | OPTION_BEGIN);
  const unsigned longest_s = adapter::lock_timeout_s();
  variables.lock_wait_timeout = longest_s;
  lock_waits_.set_longest_s(Lock::kTable, longest_s);
  thd_->tx_isolation = static_cast<enum_tx_isolation>(variables.transaction_isolation);
  thd_->tx_read_only = false;
  settings_age_.note_taken(time(nullptr));
  if (const ulong* const wait_s = row_wait_s())
    lock_waits_.set_longest_s(Lock::kRow, static_cast<uint32_t>(*wait_s));
  set_row_wait();
}

void ServerSession::restore_settings() {
  const ulonglong options = thd_->variables.option_bits;
  const enum_tx_isolation isolation = thd_->tx_isolation;
  take_settings();
  thd_->variables.option_bits = options;
  thd_->tx_isolation = isolation;
}

void ServerSession::begin_statement(enum_sql_command command) {
  entry_->set_active();
  entry_->show_name();
  entry_->show();
  thd_->reset_for_next_command();
  lex_start(thd_);
  thd_->lex->sql_command = command;
  thd_->set_query_id(next_query_id());
  thd_->set_time();
  thd_->variables.sql_mode = global_system_variables.sql_mode;
  thd_->variables.time_zone = global_system_variables.time_zone;
}

void ServerSession::end_statement() {
  lex_end(thd_->lex);
  thd_->cleanup_after_query();
  if (thd_->get_stmt_da()->current_statement_cond_count() != 0)
    thd_->get_stmt_da()->reset_condition_info(thd_);
  thd_->mem_root->ClearForReuse();
  lex_start(thd_);
  entry_->show_name();
}

// The place of the value in this THD. Look it up each time: the server moves it when a plugin is
// installed.
ulong* ServerSession::row_wait_s() {
  if (row_wait_ == nullptr) return nullptr;
  const uchar* const value = row_wait_->value_ptr(thd_, OPT_SESSION, {});
  return reinterpret_cast<ulong*>(const_cast<uchar*>(value));
}

// The engine waits for a second at least; see give_up_wait().
void ServerSession::set_row_wait() {
  if (!lock_waits_.may_wait()) return;
  if (ulong* const wait_s = row_wait_s()) *wait_s = std::max(lock_waits_.wait_s(Lock::kRow), 1U);
}

void ServerSession::begin_waiting(uint32_t most_ms) {
  lock_waits_.begin(most_ms);
  set_row_wait();
}

void ServerSession::end_waiting() { lock_waits_.end(); }

}  // namespace hs::mysql
