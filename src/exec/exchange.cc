#include "exec/exchange.h"

namespace hs::exec {

void Exchange::open() {
  const MutexLock lock(mutex_);
  is_open_ = true;
  end_.reset();
}

std::optional<Exchange::End> Exchange::wait_for(std::chrono::milliseconds time) {
  MutexLock lock(mutex_);
  if (is_open_) ended_.wait_for(lock, time);
  return is_open_ ? std::nullopt : end_;
}

bool Exchange::is_open() const {
  const MutexLock lock(mutex_);
  return is_open_;
}

std::optional<Exchange::End> Exchange::given_up() const {
  const MutexLock lock(mutex_);
  return end_ == End::kAnswered ? std::nullopt : end_;
}

bool Exchange::end(End how) {
  const MutexLock lock(mutex_);
  if (!is_open_) return false;
  is_open_ = false;
  end_ = how;
  ended_.notify_all();
  return true;
}

}  // namespace hs::exec
