// SPDX-License-Identifier: GPL-2.0-only
// The thread that deletes rows that have expired (adapter/purge.h), on this server.
#pragma once

#include "mysql/server_headers.h"
// (before anything else)
#include <memory>
#include <thread>

#include "adapter/purge.h"

namespace hs::mysql {

class MysqlEngine;

class PurgeThread {
 public:
  // Starts the thread. `engine` must outlive it. Throws std::exception when it cannot.
  explicit PurgeThread(MysqlEngine& engine);
  ~PurgeThread();  // ends it
  PurgeThread(const PurgeThread&) = delete;
  PurgeThread& operator=(const PurgeThread&) = delete;

 private:
  const std::unique_ptr<adapter::PurgeHost> host_;
  adapter::Purge purge_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace hs::mysql
