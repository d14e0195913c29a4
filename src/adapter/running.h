// The network server that runs, for SQL threads that ask it something while the plugin may go.
#pragma once

#include <shared_mutex>

#include "adapter/status.h"
#include "server/server.h"

namespace hs::adapter {

class Running {
 public:
  // Both, or null for both: none runs any more. Returns when no thread asks the ones before.
  static void set(server::Server* server, TableCounters* counters);

  // Calls `ask` with the server that runs. False: none does. `ask` may take time, for which
  // set() waits, but must not wait for set().
  template <class Ask>
  static bool ask(Ask ask) {
    return ask_both([&](server::Server& server, TableCounters&) { ask(server); });
  }
  // Likewise with the server and what its sessions have done with tables.
  template <class Ask>
  static bool ask_both(Ask ask) {
    const std::shared_lock lock(mutex_);
    if (server_ == nullptr) return false;
    ask(*server_, *counters_);
    return true;
  }

 private:
  static inline std::shared_mutex mutex_;
  static inline server::Server* server_ = nullptr;
  static inline TableCounters* counters_ = nullptr;
};

}  // namespace hs::adapter
