// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/process_entry.h"

#include "adapter/lasting_text.h"

namespace hs::mariadb {

ProcessEntry::Subject::Subject(const std::string& database, const std::string& table)
    : database_(database) {
  const std::string name = ' ' + database + '.' + table;
  texts_ = {"find" + name, "insert" + name, "update" + name, "delete" + name, "open" + name};
}

ProcessEntry::ProcessEntry(THD* thd, std::string_view name)
    : thd_(thd), state_(adapter::lasting_text("handlersocket: " + std::string(name))) {
  char user[] = "handlersocket";
  thd_->security_ctx->set_user(user);
  set_idle();
}

// The entry is that of a query, since a daemon's could not be killed.
void ProcessEntry::set_active() {
  if (active_) return;
  active_ = true;
  thd_->set_command(COM_QUERY);
}

// The server counts an entry that does not sleep as running.
void ProcessEntry::set_idle() {
  active_ = false;
  thd_->mark_connection_idle();
  thd_->proc_info = state_;
}

void ProcessEntry::show() {
  if (subject_ == nullptr || is_shown()) return;
  mysql_mutex_lock(&thd_->LOCK_thd_data);
  show_locked();
  mysql_mutex_unlock(&thd_->LOCK_thd_data);
}

void ProcessEntry::show_if_free() {
  if (subject_ == nullptr || is_shown()) return;
  if (mysql_mutex_trylock(&thd_->LOCK_thd_data) != 0) return;
  show_locked();
  mysql_mutex_unlock(&thd_->LOCK_thd_data);
}

void ProcessEntry::show_locked() {
  shown_ = subject_;
  shown_what_ = what_;
  const std::string& database = shown_->database_;
  const std::string& text = shown_->texts_[static_cast<size_t>(shown_what_)];
  thd_->db = {database.data(), database.size()};
  thd_->set_query_inner(
      CSET_STRING(const_cast<char*>(text.data()), text.size(), system_charset_info));
}

void ProcessEntry::show_nothing() {
  mysql_mutex_lock(&thd_->LOCK_thd_data);
  shown_ = nullptr;
  // thd_->db is not the THD's own memory, so the THD must not free it.
  thd_->db = {nullptr, 0};
  thd_->reset_query_inner();
  mysql_mutex_unlock(&thd_->LOCK_thd_data);
}

void ProcessEntry::forget(const Subject& subject) {
  if (subject_ == &subject) subject_ = nullptr;
  if (shown_ == &subject) show_nothing();
}

}  // namespace hs::mariadb
