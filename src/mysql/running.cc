// SPDX-License-Identifier: GPL-2.0-only
#include "mysql/running.h"

#include <mutex>

namespace hs::mysql {

std::shared_mutex Running::mutex_;
server::Server* Running::server_ = nullptr;

void Running::set(server::Server* server) {
  const std::unique_lock lock(mutex_);
  server_ = server;
}

}  // namespace hs::mysql
