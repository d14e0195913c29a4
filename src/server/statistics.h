// The server's counters. Each thread counts for itself without locks; statistics() adds them up.
#pragma once

#include <cstdint>

namespace hs::server {

struct Statistics {
  uint64_t connections_accepted = 0;
  uint64_t connections_refused = 0;  // over max_connections, or no descriptor was left
  uint64_t connections_open = 0;     // at present
  uint64_t connections_timed_out = 0;
  uint64_t connections_foreign = 0;  // closed because they spoke another protocol
  uint64_t requests = 0;
  uint64_t errors = 0;     // replies with a code other than 0
  uint64_t batches = 0;    // groups of requests executed together
  uint64_t commits = 0;    // commits of batches that had changed something
  uint64_t retries = 0;    // requests executed again, alone, after a deadlock undid their group
  uint64_t handovers = 0;  // how often a leader that waited or worked long lost the lead
  uint64_t threads = 0;    // that execute or stand by at present
  uint64_t memory = 0;     // bytes that connections hold at present (see Memory)
  uint64_t bytes_received = 0;
  uint64_t bytes_sent = 0;
};

}  // namespace hs::server
