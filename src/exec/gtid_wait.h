// A client that waits until transactions are applied here, and how many do.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "engine/gtid.h"

namespace hs::exec {

class GtidWait;

// How many clients of a group of threads wait. It is bounded, since each takes a look now and then.
// When all places are taken, a client that may have gone gives way to a new one. Else the hosts share
// them: the newest wait of the host that has most of them gives way. Any thread.
class GtidWaits {
 public:
  static constexpr uint32_t kMost = 1024;

  uint32_t waiting() const;

 private:
  friend class GtidWait;
  using Places = std::list<GtidWait*>;  // the oldest wait first

  // False: as many wait already, and none of them gives way. May throw std::bad_alloc.
  bool begin(GtidWait& wait);
  void end(GtidWait& wait);
  bool make_room(const std::string& newcomer) HS_REQUIRES(mutex_);
  void give_way(GtidWait& wait) HS_REQUIRES(mutex_);
  void remove(GtidWait& wait) HS_REQUIRES(mutex_);
  void forget_one_of(const std::string& host) HS_REQUIRES(mutex_);

  mutable Mutex mutex_;
  Places places_ HS_GUARDED_BY(mutex_);
  std::map<std::string, uint32_t> of_host_ HS_GUARDED_BY(mutex_);  // how many; never 0
};

// One client's wait. It counts as one until it is destroyed, or gives way. Used by the client's
// thread.
class GtidWait {
 public:
  // `host`: the client's.
  GtidWait(int64_t now_ms, uint32_t most_ms, std::string host = {})
      : began_ms_(now_ms), until_ms_(now_ms + most_ms), host_(std::move(host)) {}
  GtidWait(const GtidWait&) = delete;
  GtidWait& operator=(const GtidWait&) = delete;
  ~GtidWait() {
    if (all_ != nullptr) all_->end(*this);
  }

  // Once. `all`: null: it is not counted. Else it must outlive the wait. False: too many wait
  // already. May throw std::bad_alloc: it is not counted then.
  bool count_in(GtidWaits* all) {
    if (all != nullptr && !all->begin(*this)) return false;
    all_ = all;
    return true;
  }
  // The client will send nothing more. It may still read, or it may have gone.
  void note_client_has_ended() { client_has_ended_.store(true, std::memory_order_relaxed); }
  // Another client has its place.
  bool has_given_way() const { return has_given_way_.load(std::memory_order_relaxed); }
  bool is_over(int64_t now_ms) const { return now_ms >= until_ms_; }
  // When to look again: at first each millisecond, then less and less often.
  int64_t next_look_ms(int64_t now_ms) const {
    const int64_t pause_ms =
        std::clamp((now_ms - began_ms_) / 4, kShortestPauseMs, kLongestPauseMs);
    return std::min(now_ms + pause_ms, std::max(until_ms_, now_ms));
  }

  engine::GtidMark mark;

 private:
  static constexpr int64_t kShortestPauseMs = 1;
  static constexpr int64_t kLongestPauseMs = 32;

  friend class GtidWaits;

  const int64_t began_ms_;
  const int64_t until_ms_;
  const std::string host_;
  GtidWaits* all_ = nullptr;
  std::atomic<bool> client_has_ended_{false};
  std::atomic<bool> has_given_way_{false};
  GtidWaits::Places::iterator place_;  // guarded by the mutex of GtidWaits; has_given_way_: none
};

}  // namespace hs::exec
