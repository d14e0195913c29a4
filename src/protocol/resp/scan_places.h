// Where the scans of all clients are: a client names a place by a number. Any thread.
//
// There is room for a number of places, each with a key of an index, which no engine has longer than
// a few KiB. The oldest is forgotten, and a client that comes back to it is told so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace hs::protocol::resp {

// Behind a row, or at the beginning of a table where `key` is empty.
struct ScanPlace {
  std::string table;                            // the mapping's name
  std::vector<std::optional<std::string>> key;  // its parts; none: NULL
};

class ScanPlaces {
 public:
  static constexpr size_t kMost = 4096;

  // Its number, which is never 0. May throw std::bad_alloc.
  uint64_t add(ScanPlace place) {
    const MutexLock lock(mutex_);
    if (places_.size() == kMost) {
      places_.pop_front();
      ++first_;
    }
    places_.push_back(std::move(place));
    return first_ + places_.size() - 1;
  }
  std::optional<ScanPlace> find(uint64_t number) const {
    const MutexLock lock(mutex_);
    if (number < first_ || number - first_ >= places_.size()) return std::nullopt;
    return places_[number - first_];
  }

 private:
  mutable Mutex mutex_;
  uint64_t first_ HS_GUARDED_BY(mutex_) = 1;
  std::deque<ScanPlace> places_ HS_GUARDED_BY(mutex_);
};

ScanPlaces& scan_places();

}  // namespace hs::protocol::resp
