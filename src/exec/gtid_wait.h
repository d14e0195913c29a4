// A client that waits until transactions are applied here, and how many do.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "engine/gtid.h"

namespace hs::exec {

// How many clients of a group of threads wait. It is bounded, since each takes a look now and then.
// Any thread.
class GtidWaits {
 public:
  static constexpr uint32_t kMost = 1024;

  // False: as many wait already.
  bool begin() {
    if (waiting_.fetch_add(1, std::memory_order_relaxed) < kMost) return true;
    end();
    return false;
  }
  void end() { waiting_.fetch_sub(1, std::memory_order_relaxed); }
  uint32_t waiting() const { return waiting_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint32_t> waiting_{0};
};

// One client's wait. It counts as one until it is destroyed.
class GtidWait {
 public:
  GtidWait(int64_t now_ms, uint32_t most_ms) : began_ms_(now_ms), until_ms_(now_ms + most_ms) {}
  GtidWait(const GtidWait&) = delete;
  GtidWait& operator=(const GtidWait&) = delete;
  ~GtidWait() {
    if (all_ != nullptr) all_->end();
  }

  // `all`: null: it is not counted. Else it must outlive the wait. False: too many wait already.
  bool count_in(GtidWaits* all) {
    if (all != nullptr && !all->begin()) return false;
    all_ = all;
    return true;
  }
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

  const int64_t began_ms_;
  const int64_t until_ms_;
  GtidWaits* all_ = nullptr;
};

}  // namespace hs::exec
