// Whether a session waits for the locks that other sessions hold, and for how long.
//
// At first it does not: a call that needs such a lock fails at once, and is noted here, so that
// nothing is held meanwhile. Between begin() and end() it waits, and what fails then has failed.
#pragma once

#include <cstdint>

namespace hs::adapter {

class LockWaits {
 public:
  enum class Lock : uint8_t {
    kRow,    // that the storage engine waits for
    kTable,  // of a table, its definition or a backup, that the server waits for
  };

  // The longest wait that the server's settings allow, in seconds; 0 at first.
  void set_longest_s(Lock lock, uint32_t seconds) { longest_s_[index(lock)] = seconds; }

  // From here on it waits, for each lock at most so long.
  void begin(uint32_t most_ms);
  void end();
  bool may_wait() const { return may_wait_; }
  // The seconds to wait for a lock of this kind now, for servers that count in seconds: rounded up,
  // and never more than the settings allow. 0: not at all.
  uint32_t wait_s(Lock lock) const;

  // A call has failed for want of a lock.
  void note_refused(Lock lock);
  // Such a call has failed that would have waited, and for how long it might have: see
  // engine::Session. Until forget_refused().
  bool must_wait() const { return must_wait_; }
  uint32_t patience_ms() const { return patience_ms_; }
  void forget_refused() { must_wait_ = false; }

 private:
  static int index(Lock lock) { return static_cast<int>(lock); }

  uint32_t longest_s_[2] = {0, 0};
  bool may_wait_ = false;
  uint32_t most_s_ = 0;  // of one wait, while may_wait_
  bool must_wait_ = false;
  uint32_t patience_ms_ = 0;
};

}  // namespace hs::adapter
