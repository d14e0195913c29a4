// The reactors of one group. There may come more while other threads go through them; none goes.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/assert.h"
#include "server/reactor.h"

namespace hs::server {

class ReactorList {
 public:
  static constexpr size_t kMost = 3000;

  ReactorList() { reactors_.reserve(kMost); }

  // One thread at a time. There are fewer than kMost.
  void add(std::unique_ptr<Reactor> reactor) {
    HS_ASSERT(reactors_.size() < kMost);
    reactors_.push_back(std::move(reactor));  // within the capacity, so that none moves
    size_.store(reactors_.size(), std::memory_order_release);
  }

  // Any thread, all that follow. They see what is there when they are called.
  size_t size() const { return size_.load(std::memory_order_acquire); }
  const std::unique_ptr<Reactor>* begin() const { return reactors_.data(); }
  const std::unique_ptr<Reactor>* end() const { return reactors_.data() + size(); }
  Reactor& operator[](size_t at) const { return *reactors_.data()[at]; }

 private:
  std::vector<std::unique_ptr<Reactor>> reactors_;
  std::atomic<size_t> size_{0};
};

}  // namespace hs::server
