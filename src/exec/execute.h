// Carries out one request on one session: the meaning of the protocol's commands, whatever the wire
// format.
//
// One command per file (open, auth, find, insert, modify). Sees the database only through the
// engine interface and the answer only through a ReplyWriter; does no I/O and keeps no state but the
// Client's.
#pragma once

#include <string_view>

#include "base/limits.h"
#include "engine/engine.h"
#include "exec/client.h"
#include "exec/meter.h"
#include "exec/scratch.h"
#include "protocol/reply.h"
#include "protocol/request.h"

namespace hs::exec {

// What stays the same for all requests of one port. Read-only here.
struct Context {
  engine::Mode mode = engine::Mode::kReadOnly;
  Limits limits;
  std::string_view secret;  // clients must know it (kAuth); empty = they need not. Outlives Context
  int64_t (*now_ns)() = monotonic_ns;  // by which work is measured
};

// Writes exactly one reply. Never commits: changes wait for the caller's Session::commit(), and the
// caller has committed what there was before it hands in a kOpen. A request that fails leaves no
// change. May be called again with the same request after Session::rollback(); kOpen and kAuth then
// must not be, since they changed the Client. Out of memory is Error::engine(128), or kMaxMemory
// when it was refused; throws only what `reply` throws of an error.
void execute(const Context& context, const protocol::Request& request, Client& client,
             engine::Session& session, Scratch& scratch, protocol::ReplyWriter& reply);

}  // namespace hs::exec
