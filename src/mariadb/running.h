// SPDX-License-Identifier: GPL-2.0-only
// The network server that runs and its engine, for SQL threads that ask them something while the plugin
// may go.
#pragma once

#include <shared_mutex>

#include "mariadb/engine.h"
#include "server/server.h"

namespace hs::mariadb {

class Running {
 public:
  // Both, or null for both: none runs any more. Returns when no thread asks the ones before.
  static void set(server::Server* server, MariaEngine* engine);

  // Calls `ask` with the server that runs. False: none does. `ask` may take time, for which
  // set() waits, but must not wait for set().
  template <class Ask>
  static bool ask(Ask ask) {
    return ask_both([&](server::Server& server, MariaEngine&) { ask(server); });
  }
  // Likewise with the server and the engine.
  template <class Ask>
  static bool ask_both(Ask ask) {
    const std::shared_lock lock(mutex_);
    if (server_ == nullptr) return false;
    ask(*server_, *engine_);
    return true;
  }

 private:
  static std::shared_mutex mutex_;
  static server::Server* server_;
  static MariaEngine* engine_;
};

}  // namespace hs::mariadb
