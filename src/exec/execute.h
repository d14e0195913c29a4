// Carries out one request on one session: the meaning of the commands, whatever the wire format.
//
// Each command has a file (open, auth, describe, gtid, find, count, insert, modify). They see the database only through
// the engine interface, and the answer only through a ReplyWriter. They do no I/O and keep no state
// but the Client's.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/session.h"
#include "exec/client.h"
#include "exec/context.h"
#include "exec/plan.h"
#include "exec/scratch.h"
#include "protocol/reply.h"
#include "protocol/request.h"

namespace hs::exec {

struct Outcome {
  std::optional<ErrorCode> error;  // that was answered; empty: the request was done
  uint64_t rows = 0;               // that a find or describe has returned or a change has changed
  // A command has failed after it has changed something. All that is uncommitted is to be rolled
  // back.
  bool must_undo = false;
  // A command has changed what no rollback undoes, so it cannot be executed again.
  bool keeps_changes = false;
};

// Carries out `request`, which has this plan, and writes exactly one reply. Throws only what `reply`
// throws while it writes an error.
//
// Never commits: changes wait for the caller's Session::commit(). The caller must have committed
// before a Plan::Kind::kConnection. A request that fails leaves no change. The same request may be
// executed again after Session::rollback(), unless it is a kConnection, which has changed the
// Client. Out of memory is the error Error::engine(128), or kMaxMemory when Memory refused it.
Outcome execute(const Context& context, const Plan& plan, const protocol::Request& request,
                Client& client, engine::Session& session, Scratch& scratch,
                protocol::ReplyWriter& reply);

// A part of it: the request, or one of a command, on the session that acts for the client's account.
// The number of rows. On error the caller answers.
Result<uint64_t> carry_out(const Context& context, const Plan& plan,
                           const protocol::Request& request, engine::Session& session,
                           Scratch& scratch, protocol::ReplyWriter& reply);
// What the client is told when `failed` was thrown.
Error out_of_memory(const std::bad_alloc& failed);
// From here on the session acts for the client's account.
void act_for(const Client& client, engine::Session& session, Scratch& scratch);

}  // namespace hs::exec
