// SPDX-License-Identifier: GPL-2.0-only
// The network server that runs, for SQL threads that ask it something while the plugin may go.
#pragma once

#include <shared_mutex>

#include "server/server.h"

namespace hs::mysql {

class Running {
 public:
  // null: none runs any more. Returns when no thread asks the one before.
  static void set(server::Server* server);

  // Calls `ask` with the server that runs. False: none does. `ask` may take time, for which
  // set() waits, but must not wait for set().
  template <class Ask>
  static bool ask(Ask ask) {
    const std::shared_lock lock(mutex_);
    if (server_ == nullptr) return false;
    ask(*server_);
    return true;
  }

 private:
  static std::shared_mutex mutex_;
  static server::Server* server_;
};

}  // namespace hs::mysql
