#include "mapping/versions.h"

#include <algorithm>
#include <atomic>
#include <chrono>

namespace hs::mapping {

uint64_t next_version() {
  static std::atomic<uint64_t> last{0};
  const auto now = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::system_clock::now().time_since_epoch());
  uint64_t before = last.load(std::memory_order_relaxed);
  uint64_t next = 0;
  do {
    next = std::max(before + 1, static_cast<uint64_t>(now.count()));
  } while (!last.compare_exchange_weak(before, next, std::memory_order_relaxed));
  return next;
}

}  // namespace hs::mapping
