// The sessions that an engine has made. Any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "base/mutex.h"

namespace hs::adapter {

// `Session` is the adapter's class. Each is added once, and removed before it goes.
template <class Session>
class SessionList {
 public:
  void add(Session* session) {
    const MutexLock lock(mutex_);
    sessions_.push_back(session);
    size_.store(sessions_.size(), std::memory_order_relaxed);
  }
  // When it returns, no for_each() has the session in hand.
  void remove(Session* session) {
    const MutexLock lock(mutex_);
    std::erase(sessions_, session);
    size_.store(sessions_.size(), std::memory_order_relaxed);
  }

  // Waits for no other thread.
  size_t size() const { return size_.load(std::memory_order_relaxed); }

  // Calls `call(session)` for each. It must neither add nor remove one.
  template <class Call>
  void for_each(Call call) {
    const MutexLock lock(mutex_);
    for (Session* const session : sessions_) call(*session);
  }

 private:
  Mutex mutex_;
  std::vector<Session*> sessions_ HS_GUARDED_BY(mutex_);
  std::atomic<size_t> size_{0};
};

}  // namespace hs::adapter
