// The engine on a database server.
#pragma once

#include "adapter/status.h"
#include "engine/engine.h"

namespace hs::adapter {

class LibraryEngine : public engine::Engine {
 public:
  // Any thread: makes every session stop. A session that waits in the server (for a row, a table,
  // start-up) is interrupted, and should_stop() becomes true. To be called before Server::stop().
  virtual void interrupt() = 0;

  TableCounters& counters() { return counters_; }

 private:
  TableCounters counters_;
};

}  // namespace hs::adapter
