// Insert: adds a row, or does what the request says to the rows that are there already.
#pragma once

#include "exec/execute.h"

namespace hs::exec {

// Returns the number of rows added and changed; the reply is written then. On error a part of the
// reply may be written, and ReplyWriter::error() must follow; nothing is changed.
Result<uint64_t> insert(const Plan& plan, const protocol::Request& request,
                        engine::Session& session, Scratch& scratch, protocol::ReplyWriter& reply);

}  // namespace hs::exec
