// While it lives, a session waits for the locks of others.
#pragma once

#include <cstdint>

#include "engine/session.h"

namespace hs::engine {

// The session's thread. `most_ms`: see Session::begin_waiting().
class Waiting {
 public:
  Waiting(Session& session, uint32_t most_ms) : session_(session) {
    session_.begin_waiting(most_ms);
  }
  ~Waiting() { session_.end_waiting(); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  Session& session_;
};

}  // namespace hs::engine
