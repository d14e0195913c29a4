// Insert: adds a row.
#pragma once

#include "exec/execute.h"

namespace hs::exec {

// Returns the number of rows added; the reply is written then. On error nothing is written and
// nothing is changed.
Result<uint64_t> insert(const Plan& plan, const protocol::Request& request,
                        engine::Session& session, protocol::ReplyWriter& reply);

}  // namespace hs::exec
