// A number that one thread counts up and any thread may read: no lock, no locked instruction.
#pragma once

#include <atomic>
#include <cstdint>

namespace hs {

// Off only in a build that ./run bench holds against the usual one, to tell what counting costs
// (HS_COUNTERS in CMakeLists.txt).
#ifdef HS_WITHOUT_COUNTERS
inline constexpr bool kCounts = false;
#else
inline constexpr bool kCounts = true;
#endif

class Counter {
 public:
  // On the thread that counts, or with a mutex that all who count have.
  void add(uint64_t amount) {
    if constexpr (!kCounts) return;
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  uint64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

}  // namespace hs
