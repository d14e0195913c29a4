// Holds new threads back until all of them were made: either all start, or none does anything.
#pragma once

#include <atomic>

namespace hs::server {

class StartGate {
 public:
  // Blocks until open(). Returns its argument.
  bool wait() const {
    state_.wait(kClosed);
    return state_.load() == kGo;
  }
  // Called once.
  void open(bool go) {
    state_.store(go ? kGo : kLeave);
    state_.notify_all();
  }

 private:
  enum State : int { kClosed, kGo, kLeave };
  std::atomic<int> state_{kClosed};
};

}  // namespace hs::server
