// What one executor counts (see statistics.h for the meanings). Written by one thread at a time, on
// a cache line of its own.
#pragma once

#include "net/counter.h"

namespace hs::server {

struct alignas(64) Counters {
  net::Counter requests;
  net::Counter errors;
  net::Counter batches;
  net::Counter commits;
  net::Counter retries;
  net::Counter handovers;
  net::Counter bytes_streamed;
  net::Counter foreigners;
};

}  // namespace hs::server
