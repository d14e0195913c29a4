// Count: how many rows a find would return.
#pragma once

#include "exec/execute.h"

namespace hs::exec {

// Returns 0, since no row is returned. On success the reply is written, else nothing is.
Result<uint64_t> count(const Plan& plan, const protocol::Request& request, engine::Session& session,
                       Scratch& scratch, protocol::ReplyWriter& reply);

}  // namespace hs::exec
