// SPDX-License-Identifier: GPL-2.0-only
// What the server's process list shows of one of our threads: the account `handlersocket`, Sleep or
// Query, the database, the thread's name as State, and what it does as Info.
//
// Used by the thread itself; who reads the list may be any. A request costs two stores: the list
// gets to know of it when a statement begins, and when it waits.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <array>
#include <string>
#include <string_view>

namespace hs::mariadb {

class ProcessEntry {
 public:
  // `thd` must outlive the entry.
  ProcessEntry(THD* thd, std::string_view name);
  ~ProcessEntry() { show_nothing(); }
  ProcessEntry(const ProcessEntry&) = delete;
  ProcessEntry& operator=(const ProcessEntry&) = delete;

  enum class What : uint8_t { kFind, kInsert, kUpdate, kDelete, kOpen };

  // A table, in all the words that the list may have for it. Must live until forget().
  class Subject {
   public:
    Subject(const std::string& database, const std::string& table);

   private:
    friend class ProcessEntry;
    std::string database_;
    std::array<std::string, 5> texts_;  // by What
  };

  // The thread executes from here on, or it waits for requests. As in SQL, what it did last stays.
  void set_active();
  void set_idle();

  // With each request. The database is known at once: it is what DATABASE() gives.
  void work_on(const Subject& subject, What what) {
    subject_ = &subject;
    what_ = what;
    if (shown_ == nullptr || (shown_ != &subject && shown_->database_ != subject.database_)) show();
  }
  // So that the list shows it. The caller holds no lock of the server.
  void show();
  // The same from inside the server, where locks may be held: it is left out while somebody looks
  // at the entry.
  void show_if_free();
  // The subject's life ends.
  void forget(const Subject& subject);

 private:
  bool is_shown() const { return shown_ == subject_ && shown_what_ == what_; }
  void show_locked();
  void show_nothing();

  THD* const thd_;
  const std::string state_;
  bool active_ = false;
  const Subject* subject_ = nullptr;
  What what_ = What::kFind;
  const Subject* shown_ = nullptr;
  What shown_what_ = What::kFind;
};

}  // namespace hs::mariadb
