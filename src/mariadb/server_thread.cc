// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/server_thread.h"

#include <algorithm>

namespace hs::mariadb {
namespace {

// How long a thread that is never idle goes on with the settings it has, in seconds.
constexpr time_t kKeepSettingsSeconds = 1;

// As many as a uint32_t holds.
uint32_t milliseconds(unsigned seconds) {
  return static_cast<uint32_t>(std::min<uint64_t>(uint64_t{seconds} * 1000, UINT32_MAX));
}

}  // namespace

ServerThread::ServerThread(THD* thd, std::string_view name, engine::SessionEvents events,
                           unsigned lock_timeout_s)
    : thd_(thd), events_(events), lock_timeout_s_(lock_timeout_s) {
  saved_mysys_variables_ = thd_attach_thd(thd_);
  thd_->thread_stack = static_cast<char*>(__builtin_frame_address(0));
  thd_->real_id = pthread_self();
  thd_->security_ctx->skip_grants();
  thd_->thread_id = thd_->variables.pseudo_thread_id = next_thread_id();
  // A background THD is not counted, so that shutdown would not wait for it: it would close the
  // binary log while the last batch still commits into it. Connections are counted, and so is this.
  THD_count::count++;
  lex_start(thd_);
  row_wait_ = find_sys_var(thd_, STRING_WITH_LEN("innodb_lock_wait_timeout"), true);
  take_settings();
  listen();
  thd_->push_internal_handler(&full_disk_handler_);
  entry_.emplace(thd_, name);
  server_threads.insert(thd_);
}

ServerThread::~ServerThread() {
  server_threads.erase(thd_);
  // Who found this THD before it left the list may be killing it right now.
  mysql_mutex_lock(&thd_->LOCK_thd_kill);
  thd_->scheduler = saved_scheduler_;
  mysql_mutex_unlock(&thd_->LOCK_thd_kill);
  entry_.reset();
  thd_->pop_internal_handler();
  lex_end(thd_->lex);
  thd_detach_thd(saved_mysys_variables_);
  THD_count::count--;
  destroy_background_thd(thd_);
}

// KILL and shutdown reach a thread that waits for the network through the scheduler's notification.
// None of the server's own callbacks is kept: a thread pool's would take this THD for a connection
// of its own.
void ServerThread::listen() {
  saved_scheduler_ = thd_->scheduler;
  scheduler_.connection_count = saved_scheduler_->connection_count;
  scheduler_.max_connections = saved_scheduler_->max_connections;
  scheduler_.thread = this;
  scheduler_.post_kill_notification = [](THD* killed) {
    static_cast<Scheduler*>(killed->scheduler)->thread->on_kill();
  };
  scheduler_.thd_wait_begin = [](THD* thd, int type) {
    static_cast<Scheduler*>(thd->scheduler)->thread->on_wait_begin(type);
  };
  scheduler_.thd_wait_end = [](THD* thd) {
    static_cast<Scheduler*>(thd->scheduler)->thread->on_wait_end();
  };
  thd_->scheduler = &scheduler_;
}

void ServerThread::on_wait_begin(int type) {
  using Wait = engine::SessionEvents::Wait;
  // InnoDB and the table locks say so even when they may not wait.
  const bool for_lock = type == THD_WAIT_ROW_LOCK || type == THD_WAIT_TABLE_LOCK;
  if (silent_waits_ > 0 || (for_lock && !waits_)) {
    ++silent_waits_;
    return;
  }
  entry_->show_if_free();
  events_.wait_begins(events_.context, type == THD_WAIT_DISKIO ? Wait::kRead : Wait::kOther);
}

void ServerThread::on_wait_end() {
  if (silent_waits_ > 0) {
    --silent_waits_;
  } else {
    events_.wait_ends(events_.context);
  }
}

void ServerThread::take_settings() {
  plugin_thdvar_cleanup(thd_);
  mysql_mutex_lock(&LOCK_global_system_variables);
  plugin_thdvar_init(thd_);
  mysql_mutex_unlock(&LOCK_global_system_variables);
  struct system_variables& variables = thd_->variables;
  variables.pseudo_thread_id = thd_->thread_id;
  variables.character_set_client = variables.character_set_results =
      variables.collation_connection = &my_charset_utf8mb4_general_ci;
  thd_->update_charset();
  // Row changes are logged as rows, whatever format statements are logged in.
  variables.binlog_format = BINLOG_FORMAT_ROW;
  variables.option_bits |= OPTION_BIN_LOG;
  // The process list's Info is no statement.
  variables.binlog_annotate_row_events = false;
  variables.option_bits &= ~(OPTION_NOT_AUTOCOMMIT | OPTION_BEGIN);
  variables.lock_wait_timeout = lock_timeout_s_;
  variables.wsrep_on = false;
  thd_->tx_isolation = static_cast<enum_tx_isolation>(variables.tx_isolation);
  thd_->tx_read_only = false;
  settings_time_s_ = my_time(0);
  if (row_wait_ != nullptr) row_patience_s_ = row_wait_s();
  set_row_wait();
}

bool ServerThread::settings_are_old() const {
  return thd_->start_time > settings_time_s_ + kKeepSettingsSeconds;
}

// Where this THD has the value. Not to be kept: the server moves it when a plugin is installed.
unsigned& ServerThread::row_wait_s() {
  const uchar* value = row_wait_->value_ptr(thd_, OPT_SESSION, &null_clex_str);
  return *reinterpret_cast<unsigned*>(const_cast<uchar*>(value));
}

void ServerThread::set_row_wait() {
  if (row_wait_ == nullptr) return;
  row_wait_s() =
      waits_ ? std::min(most_wait_s_, row_patience_s_) : 0;  // 0: InnoDB gives up at once
}

void ServerThread::wait_for_locks(uint32_t most_ms) {
  waits_ = true;
  most_wait_s_ = most_ms / 1000 + (most_ms % 1000 != 0 ? 1 : 0);
  table_wait_s_ = std::min(most_wait_s_, lock_timeout_s_);
  set_row_wait();
}

void ServerThread::stop_waiting() {
  waits_ = false;
  table_wait_s_ = 0;
  set_row_wait();
}

uint32_t ServerThread::row_patience_ms() const { return milliseconds(row_patience_s_); }
uint32_t ServerThread::table_patience_ms() const { return milliseconds(lock_timeout_s_); }

}  // namespace hs::mariadb
