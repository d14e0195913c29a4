// What a reactor needs of the thread that leads it.
#pragma once

#include <string_view>

#include "engine/engine.h"
#include "server/batch.h"
#include "server/counters.h"
#include "server/dispatcher.h"

namespace hs::server {

// All is the leader's own thread's, but for batch(), which the thread that takes the lead from it
// may split.
class Leader {
 public:
  virtual engine::Session& session() = 0;
  virtual Batch& batch() = 0;
  virtual Counters& counters() = 0;
  virtual Dispatcher& dispatcher() = 0;
  virtual bool should_stop() const = 0;

  // One line in the error log, once in a while: every client may be able to cause it. Needs no
  // memory.
  virtual void complain(std::string_view what) noexcept = 0;
  // Likewise, of a client at this address that speaks another protocol.
  virtual void complain_of_foreigner(std::string_view address) noexcept = 0;

  bool holds_tables = false;  // Session::release() is due before it idles

 protected:
  ~Leader() = default;
};

}  // namespace hs::server
