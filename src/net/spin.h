// Decides whether it pays to look for events for a moment before going to sleep.
//
// A client that sends its next request as soon as it has the answer comes back within microseconds.
// The system takes longer to put a thread to sleep and to wake it. For a slower client, looking is
// wasted time. So looking starts only after several short waits in a row. It stops the first time
// that it was in vain, and each such time doubles the number of short waits that are needed.
//
// Where several clients come within one wait, sleep costs little for each of them, and a thread that
// looks would take them one by one. So only a wait for one event counts. One thread at a time.
#pragma once

#include <algorithm>
#include <cstdint>

namespace hs::net {

class Spin {
 public:
  static constexpr uint32_t kFewest = 8, kMost = 4096;  // short waits in a row to begin looking
  static constexpr uint32_t kTrusted = 1024;            // successes after which kFewest is enough

  // `limit_ns`: how long to look; a wait that is shorter is short. 0: never look.
  explicit Spin(int64_t limit_ns) : limit_ns_(limit_ns) {}

  int64_t limit_ns() const { return limit_ns_; }
  bool pays() const { return short_waits_ >= wanted_; }

  // The thread has looked: found() when `events` came, failed() when none did.
  void found(int events) {
    if (events > 1) short_waits_ = 0;
    if (++found_ >= kTrusted) wanted_ = kFewest;
  }
  void failed() {
    short_waits_ = found_ = 0;
    wanted_ = std::min(2 * wanted_, kMost);
  }

  // The thread slept for `ns`, until `events` came.
  void slept(int64_t ns, int events) {
    short_waits_ = ns < limit_ns_ && events == 1 ? short_waits_ + 1 : 0;
  }

 private:
  int64_t limit_ns_;
  uint32_t wanted_ = kFewest;
  uint32_t short_waits_ = 0;
  uint32_t found_ = 0;
};

}  // namespace hs::net
