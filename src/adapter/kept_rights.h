// The rights that a cursor keeps of the accounts that have used it lately, so that the server is not
// asked for each request. How many all cursors of a session keep is bounded.
//
// One thread at a time, that of the session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hs::adapter {

// How old rights may be that a session goes by.
inline constexpr int64_t kKeepRightsMs = 400;

// What the cursors of one session may keep beyond the first few of each.
class RightsRoom {
 public:
  // Accounts with a cursor each. Together they take less than 300 KiB.
  static constexpr size_t kMost = 4096;

  // False: there is no room for so many more.
  bool take(size_t places) {
    if (places > left_) return false;
    left_ -= places;
    return true;
  }
  void give_back(size_t places) { left_ += places; }
  size_t left() const { return left_; }

 private:
  size_t left_ = kMost;
};

// `Rights`: of one account, copyable.
template <class Rights>
class KeptRights {
 public:
  // Powers of two.
  static constexpr size_t kFewest = 4, kMost = 256;

  // `room` must outlive it.
  explicit KeptRights(RightsRoom& room) : room_(room) {}
  KeptRights(const KeptRights&) = delete;
  KeptRights& operator=(const KeptRights&) = delete;
  ~KeptRights() { forget(); }

  // Null: they must be asked for anew. `now_ms` is of a clock that never jumps.
  const Rights* find(uint64_t account, int64_t now_ms) const {
    if (places_.empty()) return nullptr;
    const Place& place = places_[account & (places_.size() - 1)];
    const bool known = place.account == account && now_ms - place.asked_ms < kKeepRightsMs;
    return known ? &place.rights : nullptr;
  }

  // `account` is not 0. What is returned lives until the next call. May throw std::bad_alloc.
  const Rights& keep(uint64_t account, int64_t now_ms, const Rights& rights) {
    if (places_.empty()) places_.resize(kFewest);
    for (;;) {
      Place& place = places_[account & (places_.size() - 1)];
      const bool is_free = place.account == 0 || place.account == account ||
                           now_ms - place.asked_ms >= kKeepRightsMs;
      if (is_free || !grow()) {
        place = {account, now_ms, rights};
        return place.rights;
      }
    }
  }

  void forget() {
    if (places_.size() > kFewest) room_.give_back(places_.size() - kFewest);
    places_.clear();
    places_.shrink_to_fit();
  }
  size_t places() const { return places_.size(); }

 private:
  struct Place {
    uint64_t account = 0;  // 0: none
    int64_t asked_ms = 0;
    Rights rights;
  };

  // Two accounts at one place take it from each other, so there are twice as many places then. False:
  // there is no room.
  bool grow() {
    const size_t more = places_.size();
    if (more >= kMost) return false;
    std::vector<Place> grown(2 * more);
    if (!room_.take(more)) return false;
    for (const Place& old : places_) {
      if (old.account != 0) grown[old.account & (grown.size() - 1)] = old;
    }
    places_ = std::move(grown);
    return true;
  }

  RightsRoom& room_;
  std::vector<Place> places_;
};

}  // namespace hs::adapter
