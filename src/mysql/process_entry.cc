// SPDX-License-Identifier: GPL-2.0-only
#include "mysql/process_entry.h"

#include "adapter/lasting_text.h"

namespace hs::mysql {

ProcessEntry::Subject::Subject(const std::string& database, const std::string& table) {
  const std::string name = ' ' + database + '.' + table;
  texts_ = {"find" + name, "insert" + name, "update" + name, "delete" + name, "open" + name};
}

ProcessEntry::ProcessEntry(THD* thd, std::string_view name)
    : thd_(thd), state_(adapter::lasting_text("handlersocket: " + std::string(name))) {
  thd_->security_context()->assign_user(STRING_WITH_LEN("handlersocket"));
  set_idle();
}

// The entry is that of a query, since a daemon's could not be killed.
void ProcessEntry::set_active() {
  if (active_) return;
  active_ = true;
  thd_->set_command(COM_QUERY);
}

void ProcessEntry::set_idle() {
  active_ = false;
  thd_->set_command(COM_SLEEP);
  show_name();
}

void ProcessEntry::show() {
  if (subject_ == nullptr || is_shown()) return;
  shown_ = subject_;
  shown_what_ = what_;
  const std::string& text = shown_->texts_[static_cast<size_t>(shown_what_)];
  thd_->set_query(text.data(), text.size());
  thd_->set_query_for_display(text.data(), text.size());
}

void ProcessEntry::show_nothing() {
  shown_ = nullptr;
  thd_->reset_query();
  thd_->reset_query_for_display();
}

void ProcessEntry::forget(const Subject& subject) {
  if (subject_ == &subject) subject_ = nullptr;
  if (shown_ == &subject) show_nothing();
}

}  // namespace hs::mysql
