// Find: the rows of a scan, returned.
#pragma once

#include "exec/execute.h"

namespace hs::exec {

// Returns the number of rows in the reply, which is written then. On error a part of it may be
// written, and ReplyWriter::error() must follow.
Result<uint64_t> find(const Context& context, const Plan& plan, const protocol::Request& request,
                      engine::Session& session, Scratch& scratch, protocol::ReplyWriter& reply);

// Adds the cursor's current row to the reply. Errors: kReplyTooLong, and those of Cursor::row().
Result<void> write_row(engine::Cursor& cursor, Scratch& scratch, protocol::ReplyWriter& reply);

}  // namespace hs::exec
