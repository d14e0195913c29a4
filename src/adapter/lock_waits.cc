#include "adapter/lock_waits.h"

#include <algorithm>

namespace hs::adapter {
namespace {

constexpr uint32_t kMsOfASecond = 1000;

}  // namespace

void LockWaits::begin(uint32_t most_ms) {
  may_wait_ = true;
  most_s_ = most_ms / kMsOfASecond + (most_ms % kMsOfASecond != 0 ? 1 : 0);
}

void LockWaits::end() { may_wait_ = false; }

uint32_t LockWaits::wait_s(Lock lock) const {
  return may_wait_ ? std::min(most_s_, longest_s_[index(lock)]) : 0;
}

void LockWaits::note_refused(Lock lock) {
  if (may_wait_) return;
  must_wait_ = true;
  be_patient(lock);
}

void LockWaits::be_patient(Lock lock) {
  if (may_wait_) return;
  // The most that a uint32_t holds, if the settings allow more.
  const uint64_t longest_ms = uint64_t{longest_s_[index(lock)]} * kMsOfASecond;
  patience_ms_ = static_cast<uint32_t>(std::min<uint64_t>(longest_ms, UINT32_MAX));
}

}  // namespace hs::adapter
