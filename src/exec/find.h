// Find: the rows of a scan, returned.
#pragma once

#include "exec/execute.h"

namespace hs::exec {

// On success the reply is written. On error a part of it may be written, and ReplyWriter::error()
// must follow.
Result<void> find(const Context& context, const Plan& plan, const protocol::Request& request,
                  engine::Session& session, Scratch& scratch, protocol::ReplyWriter& reply);

// Adds the cursor's current row to the reply. Errors: kReplyTooLong, and those of Cursor::row().
Result<void> write_row(engine::Cursor& cursor, Scratch& scratch, protocol::ReplyWriter& reply);

}  // namespace hs::exec
