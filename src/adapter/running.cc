#include "adapter/running.h"

#include <mutex>

namespace hs::adapter {

void Running::set(server::Server* server, TableCounters* counters) {
  const std::unique_lock lock(mutex_);
  server_ = server;
  counters_ = counters;
}

}  // namespace hs::adapter
