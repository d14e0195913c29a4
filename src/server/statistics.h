// What the server counts. Each thread counts for itself without locks; statistics() adds them up.
#pragma once

#include <cstdint>

namespace hs::server {

struct Statistics {
  uint64_t connections_accepted = 0;
  uint64_t connections_refused = 0;  // over max_connections, or without a descriptor
  uint64_t connections_open = 0;     // now
  uint64_t connections_timed_out = 0;
  uint64_t connections_foreign = 0;  // closed since they spoke another protocol
  uint64_t requests = 0;
  uint64_t errors = 0;     // replies with a code other than 0
  uint64_t batches = 0;    // groups of requests executed together
  uint64_t commits = 0;    // commits of batches that had changed something
  uint64_t retries = 0;    // requests executed again, alone, after a deadlock took their batch
  uint64_t handovers = 0;  // times that a thread took over the connections of one that waited
  uint64_t threads = 0;    // that execute or stand by, now
  uint64_t memory = 0;     // bytes that connections hold, now (see Memory)
  uint64_t bytes_received = 0;
  uint64_t bytes_sent = 0;
};

}  // namespace hs::server
