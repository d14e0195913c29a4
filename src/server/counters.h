// What one executor counts (statistics.h has the meanings). Written by one thread at a time, on a
// cache line of its own.
#pragma once

#include "base/counter.h"
#include "base/latency.h"
#include "server/request_kind.h"

namespace hs::server {

struct alignas(64) Counters {
  Counter requests;
  Counter finds;
  Counter changes[engine::kAccesses];  // by engine::Access
  Counter rows_found;
  Counter rows_changed;
  Counter errors;
  Counter errors_by_kind[3];  // by ErrorKind
  Counter batches;
  Counter commits;
  Counter retries;
  Counter lock_waits;
  Counter parked;
  Counter handovers;
  Counter bytes_streamed;
  Counter foreigners;
  // From the moment at which a request was read until its reply was sent, or given to the thread
  // that sends it.
  Latency latency[kRequestKinds];
};

}  // namespace hs::server
