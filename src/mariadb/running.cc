// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/server_headers.h"
// (before anything else)
#include <mutex>

#include "mariadb/running.h"

namespace hs::mariadb {

std::shared_mutex Running::mutex_;
server::Server* Running::server_ = nullptr;
MariaEngine* Running::engine_ = nullptr;

void Running::set(server::Server* server, MariaEngine* engine) {
  const std::unique_lock lock(mutex_);
  server_ = server;
  engine_ = engine;
}

}  // namespace hs::mariadb
