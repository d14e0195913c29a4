// Limits messages that every client can cause, so that they do not fill the error log.
#pragma once

#include <atomic>
#include <cstdint>

namespace hs::server {

class Seldom {
 public:
  static constexpr int64_t kEveryMs = 60'000;

  // Any thread: true at first, and then at most once a minute. `now_ms` is greater than 0 and comes
  // from a clock that never jumps.
  bool is_due(int64_t now_ms) {
    int64_t last = last_ms_.load(std::memory_order_relaxed);
    if (last != 0 && now_ms - last < kEveryMs) return false;
    return last_ms_.compare_exchange_strong(last, now_ms, std::memory_order_relaxed);
  }

 private:
  std::atomic<int64_t> last_ms_{0};
};

}  // namespace hs::server
