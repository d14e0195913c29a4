// A number that one thread counts up and any thread may read: no lock, no locked instruction.
#pragma once

#include <atomic>
#include <cstdint>

namespace hs {

class Counter {
 public:
  // On the thread that counts.
  void add(uint64_t amount) {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  uint64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

}  // namespace hs
