// The batches of a reactor of which the commit is under way: more than one only when a commit takes
// far too long. Any thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace hs::server {

class RunningCommits {
 public:
  void begin(int64_t now_ns) {
    // Written first: the leader that sees the commit must not take the time of an earlier one.
    if (number_.load(std::memory_order_relaxed) == 0) {
      since_ns_.store(now_ns, std::memory_order_relaxed);
    }
    number_.fetch_add(1, std::memory_order_release);
  }
  // What the thread wrote before is seen by those that see the end.
  void end() { number_.fetch_sub(1, std::memory_order_release); }

  bool any() const { return number_.load(std::memory_order_acquire) != 0; }
  // For how long from now another batch should wait for the first of them, whose connections come
  // back together, for a commit that all share; in nanoseconds, not above 0: no longer. `usual_ns`:
  // how long commits take.
  int64_t worth_waiting_ns(int64_t usual_ns, int64_t now_ns) const {
    const int64_t hold_ns = std::clamp(kCommits * usual_ns, kShortestNs, kLongestNs);
    return since_ns_.load(std::memory_order_relaxed) + hold_ns - now_ns;
  }

 private:
  // A batch waits this many times as long as commits take, within these bounds.
  static constexpr int64_t kCommits = 2;
  static constexpr int64_t kShortestNs = 1'000'000;
  static constexpr int64_t kLongestNs = 500'000'000;

  std::atomic<uint32_t> number_{0};
  std::atomic<int64_t> since_ns_{0};  // when the first of them began
};

}  // namespace hs::server
