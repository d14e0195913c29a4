// The thread that deletes rows that have expired (adapter/purge.h).
#pragma once

#include <memory>
#include <thread>

#include "adapter/purge.h"

namespace hs::adapter {

class PurgeThread {
 public:
  // Starts the thread. `engine` must outlive it. Throws std::exception when it cannot.
  PurgeThread(engine::Engine& engine, std::unique_ptr<PurgeHost> host);
  ~PurgeThread();  // ends it
  PurgeThread(const PurgeThread&) = delete;
  PurgeThread& operator=(const PurgeThread&) = delete;

 private:
  const std::unique_ptr<PurgeHost> host_;
  Purge purge_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace hs::adapter
