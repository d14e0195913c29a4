// Whether a session waits for the locks that other sessions hold, and for how long.
//
// At first it does not wait. A call that needs such a lock fails at once and is noted here, so that
// the session holds nothing while the request waits to be tried again. Between begin() and end()
// the session waits, and a call that fails then has waited in vain.
#pragma once

#include <cstdint>

namespace hs::adapter {

class LockWaits {
 public:
  enum class Lock : uint8_t {
    kRow,    // the storage engine waits for it
    kTable,  // of a table, its definition or a backup; the server waits for it
  };

  // The longest wait that the server's settings allow, in seconds; 0 at first.
  void set_longest_s(Lock lock, uint32_t seconds) { longest_s_[index(lock)] = seconds; }

  // From here to end() the session waits, for each lock at most `most_ms`.
  void begin(uint32_t most_ms);
  void end();
  bool may_wait() const { return may_wait_; }
  // How many seconds to wait for a lock of this kind now, for servers that count in seconds.
  // Rounded up, and never more than the settings allow. 0: it does not wait.
  uint32_t wait_s(Lock lock) const;

  // A call has failed because it did not get a lock.
  void note_refused(Lock lock);
  // Whether such a call has failed because the session does not wait, and how long it may wait for
  // the lock (see engine::Session). Until forget_refused().
  bool must_wait() const { return must_wait_; }
  uint32_t patience_ms() const { return patience_ms_; }
  void forget_refused() { must_wait_ = false; }
  // The same patience for what is not refused a lock, but may be tried as long as one is waited for.
  void be_patient(Lock lock);

 private:
  static int index(Lock lock) { return static_cast<int>(lock); }

  uint32_t longest_s_[2] = {0, 0};
  bool may_wait_ = false;
  uint32_t most_s_ = 0;  // for each lock, while may_wait_
  bool must_wait_ = false;
  uint32_t patience_ms_ = 0;
};

}  // namespace hs::adapter
