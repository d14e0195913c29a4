// Modify: the rows of a scan, changed or deleted.
#pragma once

#include "exec/execute.h"

namespace hs::exec {

// Returns the number of rows changed; the reply is written then. On error nothing is changed, but a
// part of the reply may be written, and ReplyWriter::error() must follow.
Result<uint64_t> modify(const Context& context, const Plan& plan, const protocol::Request& request,
                        engine::Session& session, Scratch& scratch, protocol::ReplyWriter& reply);

}  // namespace hs::exec
