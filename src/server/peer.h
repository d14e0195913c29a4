// A connection of this protocol's: bytes, and what the server remembers of the client.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/intrusive_list.h"
#include "exec/client.h"
#include "net/connection.h"

namespace hs::server {

struct QueueTag {};

struct Peer final : net::Connection, ListHook<QueueTag> {
  // Counts its memory where the pool does.
  explicit Peer(exec::SpecPool& pool) : net::Connection(pool.memory()), client(pool) {}

  exec::Client client;

  // Set by Batch:
  size_t used = 0;             // bytes at the front of input() that belong to requests of the batch
  size_t searched = 0;         // bytes behind those that are known to hold no end of a line
  bool may_have_more = false;  // complete lines, left for a later batch
  bool unfinished = false;     // split() stays away from it
  bool parked = false;         // its next request must wait for a lock, outside of any thread
  int64_t waits_since_ms = 0;  // on monotonic_ms(), the request that is parked; 0: none
  bool is_slow = false;        // took less than was streamed to it of late
  bool has_spoken = false;     // a line of it was executed
  enum class Ending : uint8_t {
    kNone,
    kRequestTooLong,
    kMaxMemory,  // there was no memory for a request
    kForeign,    // speaks another protocol
    kFailed,     // a request could not be answered at all
    kAbandoned,  // nobody knows what was done: closes at once, without the replies
  };
  Ending ending = Ending::kNone;  // else: nothing more is executed, and it closes after its replies

  // Set by Reactor, while parked:
  int64_t try_at_ms = 0;  // when the request is due to be tried again
  unsigned tries = 0;     // of that request so far
};

using Queue = IntrusiveList<Peer, QueueTag>;

}  // namespace hs::server
