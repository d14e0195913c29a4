// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/server_session.h"

#include <mutex>

#include "adapter/variables.h"
#include "mariadb/engine_settings.h"

namespace hs::mariadb {

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

// The thread's entry in performance_schema.THREADS, which goes where the session goes. Null while
// performance_schema is off.
PSI_thread* make_instrument(THD* thd) {
  static PSI_thread_key key;
  static PSI_thread_info threads[] = {{&key, "executor", 0}};
  static std::once_flag registered;
  std::call_once(registered, [] { mysql_thread_register("handlersocket", threads, 1); });
  PSI_thread* const made = PSI_CALL_new_thread(key, thd, thd->thread_id);
  PSI_CALL_set_thread_THD(made, thd);
  return made;
}

}  // namespace

ServerSession::ServerSession(THD* thd, std::string_view name, bool writes)
    : thd_(thd), writes_(writes) {
  thd_->security_ctx->skip_grants();
  thd_->thread_id = thd_->variables.pseudo_thread_id = next_thread_id();
  // Shutdown waits for connections, which are counted, but not for background THDs. So this THD is
  // counted: otherwise shutdown would close the binary log while the last batch still commits into
  // it.
  THD_count::count++;
  thd_->set_psi(make_instrument(thd_));
  const Visit visit(*this);
  lex_start(thd_);
  if (sys_var* const rolls_back =
          find_sys_var(thd_, STRING_WITH_LEN("innodb_rollback_on_timeout"), false)) {
    mysql_mutex_lock(&LOCK_global_system_variables);
    rolls_back_on_timeout_ = *rolls_back->value_ptr(thd_, OPT_GLOBAL, &null_clex_str) != 0;
    mysql_mutex_unlock(&LOCK_global_system_variables);
  }
  take_settings();
  listen();
  thd_->push_internal_handler(&full_disk_handler_);
  entry_.emplace(thd_, name);
  server_threads.insert(thd_);
}

ServerSession::~ServerSession() {
  if (is_in_thread_) leave();
  server_threads.erase(thd_);
  {
    const Visit visit(*this);
    // A thread that found this THD before it left the list may still be killing it.
    mysql_mutex_lock(&thd_->LOCK_thd_kill);
    thd_->scheduler = saved_scheduler_;
    mysql_mutex_unlock(&thd_->LOCK_thd_kill);
    entry_.reset();
    thd_->pop_internal_handler();
    lex_end(thd_->lex);
  }
  PSI_THREAD_CALL(delete_thread)(thd_->get_psi());
  thd_->set_psi(nullptr);
  THD_count::count--;
  // destroy_background_thd() needs a thread without a THD.
  THD* const threads_thd = current_thd;
  set_current_thd(nullptr);
  destroy_background_thd(thd_);
  set_current_thd(threads_thd);
}

// Does what the server's own thread pool does to move a connection between threads (thread_attach()
// in threadpool_common.cc). Transactions, tables and locks belong to the THD.
void ServerSession::attach() {
  threads_thd_ = current_thd;
  threads_psi_ = PSI_CALL_get_thread();
  set_current_thd(nullptr);
  // Used where the system does not tell where the stack begins.
  thd_->thread_stack = static_cast<char*>(__builtin_frame_address(0));
  threads_mysys_variables_ = thd_attach_thd(thd_);
  PSI_CALL_set_thread(thd_->get_psi());
}

void ServerSession::detach() {
  PSI_CALL_set_thread(threads_psi_);
  thd_detach_thd(threads_mysys_variables_);
  set_current_thd(threads_thd_);
}

void ServerSession::enter(engine::SessionEvents events) {
  attach();
  is_in_thread_ = true;
  set_events(events);
}

void ServerSession::leave() {
  end_wait_for_room();
  set_events({});
  is_in_thread_ = false;
  detach();
}

// From here on a thread that kills the session wakes by the new events, and none uses the old ones
// any more.
void ServerSession::set_events(engine::SessionEvents events) {
  mysql_mutex_lock(&thd_->LOCK_thd_kill);
  events_ = events;
  mysql_mutex_unlock(&thd_->LOCK_thd_kill);
}

// Called with LOCK_thd_kill held.
void ServerSession::on_kill() {
  if (events_.wake != nullptr) events_.wake(events_.context);
}

// KILL and shutdown reach a session whose thread waits for the network by the scheduler's
// notification. None of the server's own callbacks is kept, since a thread pool's would take this
// THD for a connection of its own.
void ServerSession::listen() {
  saved_scheduler_ = thd_->scheduler;
  scheduler_.connection_count = saved_scheduler_->connection_count;
  scheduler_.max_connections = saved_scheduler_->max_connections;
  scheduler_.session = this;
  scheduler_.post_kill_notification = [](THD* killed) {
    static_cast<Scheduler*>(killed->scheduler)->session->on_kill();
  };
  scheduler_.thd_wait_begin = [](THD* thd, int type) {
    static_cast<Scheduler*>(thd->scheduler)->session->on_wait_begin(type);
  };
  scheduler_.thd_wait_end = [](THD* thd) {
    static_cast<Scheduler*>(thd->scheduler)->session->on_wait_end();
  };
  thd_->scheduler = &scheduler_;
}

void ServerSession::on_wait_begin(int type) {
  using Wait = engine::SessionEvents::Wait;
  // InnoDB and the table locks report a wait even when they may not wait.
  const bool for_lock = type == THD_WAIT_ROW_LOCK || type == THD_WAIT_TABLE_LOCK;
  if (silent_waits_ > 0 || (for_lock && !lock_waits_.may_wait())) {
    ++silent_waits_;
    return;
  }
  entry_->show_if_free();
  if (events_.wait_begins != nullptr)
    events_.wait_begins(events_.context, type == THD_WAIT_DISKIO ? Wait::kRead : Wait::kOther);
}

bool FullDiskHandler::handle_condition(THD* thd, uint number, const char*,
                                       Sql_condition::enum_warning_level*, const char*,
                                       Sql_condition**) {
  if (number != EE_DISK_FULL) return false;
  thd->reset_killed();
  session_.wait_for_room();
  return false;
}

void ServerSession::on_wait_end() {
  if (silent_waits_ > 0) {
    --silent_waits_;
  } else if (events_.wait_ends != nullptr) {
    events_.wait_ends(events_.context);
  }
}

void ServerSession::take_settings() {
  plugin_thdvar_cleanup(thd_);
  mysql_mutex_lock(&LOCK_global_system_variables);
  plugin_thdvar_init(thd_);
  mysql_mutex_unlock(&LOCK_global_system_variables);
  struct system_variables& variables = thd_->variables;
  variables.pseudo_thread_id = thd_->thread_id;
  variables.character_set_client = variables.character_set_results =
      variables.collation_connection = &my_charset_utf8mb4_general_ci;
  thd_->update_charset();
  // Row changes are logged as rows, whatever the format for statements is.
  variables.binlog_format = BINLOG_FORMAT_ROW;
  variables.option_bits |= OPTION_BIN_LOG;
  // The Info in the process list is no statement, so it is not logged.
  variables.binlog_annotate_row_events = false;
  variables.option_bits &= ~(OPTION_NOT_AUTOCOMMIT | OPTION_BEGIN);
  // With neither these checks nor those of foreign keys, InnoDB fills an empty table in bulk: it tells of
  // duplicates at the end of the statement, and for one of them it drops the rows of all requests in it.
  variables.option_bits &= ~OPTION_RELAXED_UNIQUE_CHECKS;
  const unsigned longest_s = adapter::lock_timeout_s();
  variables.lock_wait_timeout = longest_s;
  lock_waits_.set_longest_s(Lock::kTable, longest_s);
  variables.wsrep_on = writes_ && WSREP_ON;
  thd_->userstat_running = opt_userstat_running;
  thd_->tx_isolation = static_cast<enum_tx_isolation>(variables.tx_isolation);
  thd_->tx_read_only = false;
  switch_off_engine_settings(thd_);
  settings_age_.note_taken(my_time(0));
  lock_waits_.set_longest_s(Lock::kRow, row_waits_.take(thd_));
  limit_row_waits();
}

void ServerSession::restore_settings() {
  const ulonglong of_transaction = thd_->variables.option_bits;
  take_settings();
  thd_->variables.option_bits = of_transaction;
}

void ServerSession::begin_query() {
  thd_->set_time();
  thd_->set_query_id(next_query_id());
  Diagnostics_area* const area = thd_->get_stmt_da();
  // Otherwise the first warning would do it, and those behind it would be of row 0.
  area->opt_clear_warning_info(thd_->query_id);
  area->reset_current_row_for_warning(1);
}

void ServerSession::begin_statement(enum_sql_command command) {
  entry_->set_active();
  entry_->show();
  // Else the server would take wsrep_forced_binlog_format for that of the session, also where there is no
  // Galera, and log no rows. It has this for CREATE TABLE … SELECT, and one in a trigger takes it away.
  thd_->wsrep_ctas = true;
  thd_->reset_for_next_command();
  begin_query();
  // The THD also forgets the tables that the last statement has written.
  thd_->lex->reset_query_tables_list(false);
  thd_->lex->sql_command = command;
  thd_->variables.sql_mode = global_system_variables.sql_mode;
  thd_->variables.time_zone = global_system_variables.time_zone;
}

void ServerSession::begin_waiting(uint32_t most_ms) {
  lock_waits_.begin(most_ms);
  limit_row_waits();
}

void ServerSession::end_waiting() {
  lock_waits_.end();
  limit_row_waits();
}

}  // namespace hs::mariadb
