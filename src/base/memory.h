// What all clients together may hold in their buffers and for their open indexes, counted to the
// byte.
//
// Near the bound, requests for memory are refused in this order: those for clients that are not
// known yet, then those for large buffers, then those for small ones. So a client that takes much
// memory, or many connections, leaves room for the small requests of the others.
//
// A client is known when it has authenticated, or, where no secret is asked for, has opened an
// index.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "base/assert.h"
#include "base/limits.h"

namespace hs {

// Thrown where Memory refuses what would be taken.
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

  // Any thread, as all functions that follow. What was taken stays taken.
  void set_limit(uint64_t limit) { limit_.store(limit, std::memory_order_relaxed); }

  // Counts `bytes`. False: refused, they must not be
  // taken. `size`: of the whole buffer or object that they are for, in bytes. `known`: of its
  // client.
  [[nodiscard]] bool take(size_t bytes, size_t size, bool known) {
    const uint64_t most = bound(size, known);
    uint64_t used = used_.load(std::memory_order_relaxed);
    do {
      if (used > most || bytes > most - used) return false;
    } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    return true;
  }
  // `bytes`: not more than were taken.
  void give_back(size_t bytes) {
    [[maybe_unused]] const uint64_t before = used_.fetch_sub(bytes, std::memory_order_relaxed);
    HS_ASSERT(bytes <= before);
  }

  uint64_t used() const { return used_.load(std::memory_order_relaxed); }

 private:
  // A buffer of at most kIdleBuffer bytes is part of what a connection costs. It is never refused.
  uint64_t bound(size_t size, bool known) const {
    const uint64_t limit = limit_.load(std::memory_order_relaxed);
    if (limit == 0 || size <= kIdleBuffer) return UINT64_MAX;
    if (!known) return limit / 2;
    return size > kLarge ? limit - limit / 4 : limit;
  }

  std::atomic<uint64_t> limit_;
  std::atomic<uint64_t> used_{0};
};

}  // namespace hs
