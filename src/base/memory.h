// What all clients together may hold in their buffers and for their open indexes, counted to the
// byte.
//
// Refuses before the bound is reached what can be refused with the least harm: first clients that
// are not known yet, then large buffers, then small ones. So whoever takes much, or nothing but
// connections, leaves room for the small requests of the others.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "base/limits.h"

namespace hs {

// Thrown where memory would be taken that Memory refuses.
class MemoryRefused : public std::bad_alloc {
 public:
  const char* what() const noexcept override { return "handlersocket_max_memory"; }
};

class Memory {
 public:
  static constexpr size_t kLarge = 64u << 10;  // bytes; larger ones are refused earlier

  // In bytes; 0: no bound.
  explicit Memory(uint64_t limit) : limit_(limit) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // Any thread, as all that follows. Counts `bytes`; false: it must not be taken. `size`: of the
  // whole that it is for. `known`: whether the client has shown that it is one of ours.
  [[nodiscard]] bool take(size_t bytes, size_t size, bool known) {
    const uint64_t most = bound(size, known);
    uint64_t used = used_.load(std::memory_order_relaxed);
    do {
      if (used > most || bytes > most - used) return false;
    } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    return true;
  }
  void give_back(size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

  uint64_t used() const { return used_.load(std::memory_order_relaxed); }

 private:
  // A buffer of at most kIdleBuffer bytes is part of what a connection costs, and never refused.
  uint64_t bound(size_t size, bool known) const {
    if (limit_ == 0 || size <= kIdleBuffer) return UINT64_MAX;
    if (!known) return limit_ / 2;
    return size > kLarge ? limit_ - limit_ / 4 : limit_;
  }

  const uint64_t limit_;
  std::atomic<uint64_t> used_{0};
};

}  // namespace hs
