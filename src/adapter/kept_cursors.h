// The cursors of a session, by their specs, and which of them have their table open.
//
// A cursor outlives its table, and opens it again by name. Tables are closed all at once, since no
// session holds one while it waits for another.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/cursor.h"

namespace hs::adapter {

// `Cursor` is the adapter's class. It has spec() and is_open().
template <class Cursor>
class KeptCursors {
 public:
  // The cursor of the spec if its table is open; else null. The last one that was asked for is
  // found by one comparison.
  Cursor* find_open(const engine::IndexSpecPtr& spec) const {
    if (recent_ == nullptr || recent_->spec() != spec) {
      const auto found = cursors_.find(spec.get());
      if (found == cursors_.end()) return nullptr;
      recent_ = found->second.get();
    }
    return recent_->is_open() ? recent_ : nullptr;
  }

  // The cursor of the spec. If there is none, `make()` makes one, a std::unique_ptr. Other cursors
  // without a table may be dropped then, even if a client has their index open, since there may be
  // any number of them.
  template <class Make>
  Cursor& get(const engine::IndexSpecPtr& spec, Make make) {
    auto found = cursors_.find(spec.get());
    if (found == cursors_.end()) {
      if (cursors_.size() >= kSweepAt) sweep();
      found = cursors_.emplace(spec.get(), make()).first;
      names_ += engine::column_count(*spec);
    }
    return *found->second;
  }

  // The cursor's table was opened.
  void note_open(Cursor& cursor) { open_.push_back(&cursor); }
  // The tables of all cursors were closed.
  void note_all_closed() { open_.clear(); }
  std::span<Cursor* const> open() const { return open_; }

  // Between two requests: drops the cursors without a table if there are many names among the
  // specs. Else what clients had open would be kept after they have gone.
  void shrink() {
    if (names_ > kMostNames) sweep();
  }

  void clear() {
    names_ = 0;
    recent_ = nullptr;
    open_.clear();
    cursors_.clear();
  }
  size_t size() const { return cursors_.size(); }

  static constexpr size_t kSweepAt = 256;
  static constexpr size_t kMostNames = 1024;  // of columns

 private:
  void sweep() {
    recent_ = nullptr;
    std::erase_if(cursors_, [](const auto& entry) { return !entry.second->is_open(); });
    names_ = 0;
    for (const auto& entry : cursors_) names_ += engine::column_count(*entry.first);
  }

  std::unordered_map<const engine::IndexSpec*, std::unique_ptr<Cursor>> cursors_;
  size_t names_ = 0;                  // of all specs in cursors_
  mutable Cursor* recent_ = nullptr;  // of cursors_
  std::vector<Cursor*> open_;
};

}  // namespace hs::adapter
