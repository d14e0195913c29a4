// Carries out one request on one session: the meaning of the protocol's commands, whatever the wire
// format.
//
// One command per file (open, auth, find, insert, modify). Sees the database only through the
// engine interface and the answer only through a ReplyWriter; does no I/O and keeps no state but
// the Client's.
#pragma once

#include <optional>

#include "engine/engine.h"
#include "exec/client.h"
#include "exec/context.h"
#include "exec/plan.h"
#include "exec/scratch.h"
#include "protocol/reply.h"
#include "protocol/request.h"

namespace hs::exec {

// Writes exactly one reply, and returns the error that it tells, if it tells one. `plan` is that of
// the request. Never commits: changes wait for the caller's Session::commit(), and the caller has
// committed what there was before it hands in a Plan::kConnection. A request that fails leaves no
// change. May be called again with the same request after Session::rollback(), unless it is a
// Plan::kConnection: that changed the Client. Out of memory is Error::engine(128), or kMaxMemory
// when it was refused; throws only what `reply` throws of an error.
std::optional<ErrorCode> execute(const Context& context, const Plan& plan,
                                 const protocol::Request& request, Client& client,
                                 engine::Session& session, Scratch& scratch,
                                 protocol::ReplyWriter& reply);

}  // namespace hs::exec
