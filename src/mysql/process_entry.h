// SPDX-License-Identifier: GPL-2.0-only
// What the server's process list shows of one thread of the plugin: the account `handlersocket`,
// Sleep or Query, the thread's name as State, and what it does as Info.
//
// Used by that thread. Any thread may read the list. A request costs two stores; the list itself is
// updated when a statement begins and when it waits. The database is not shown, since the server would
// look privileges up by it.
#pragma once

#include "mysql/server_headers.h"
// (before anything else)
#include <array>
#include <string>
#include <string_view>

namespace hs::mysql {

class ProcessEntry {
 public:
  // `thd` must outlive the entry.
  ProcessEntry(THD* thd, std::string_view name);
  ~ProcessEntry() { show_nothing(); }
  ProcessEntry(const ProcessEntry&) = delete;
  ProcessEntry& operator=(const ProcessEntry&) = delete;

  enum class What : uint8_t { kFind, kInsert, kUpdate, kDelete, kOpen };

  // A table, with all texts that the list may show for it. Must live until forget().
  class Subject {
   public:
    Subject(const std::string& database, const std::string& table);

   private:
    friend class ProcessEntry;
    std::array<std::string, 5> texts_;  // by What
  };

  // set_active(): the thread executes from here on. set_idle(): it waits for requests. As in SQL,
  // what it did last stays in the list.
  void set_active();
  void set_idle();
  // The thread's name is the state again. The server says there what it does, and leaves it behind.
  void show_name() {
    thd_->set_proc_info(state_);
    mysql_end_stage();  // what performance_schema shows
  }

  // Called with each request.
  void work_on(const Subject& subject, What what) {
    subject_ = &subject;
    what_ = what;
  }
  // Updates the list. The lock that this takes is held by others only while they copy the text.
  void show();
  // Call it before the subject's life ends.
  void forget(const Subject& subject);

 private:
  bool is_shown() const { return shown_ == subject_ && shown_what_ == what_; }
  void show_nothing();

  THD* const thd_;
  const char* const state_;  // lasts longer than the entry, as the list needs it
  bool active_ = false;
  const Subject* subject_ = nullptr;
  What what_ = What::kFind;
  const Subject* shown_ = nullptr;
  What shown_what_ = What::kFind;
};

}  // namespace hs::mysql
