// Modify: the rows of a scan, changed or deleted.
#pragma once

#include "exec/execute.h"

namespace hs::exec {

// On success the reply is written. On error nothing is changed, but a part of the reply may be
// written, and ReplyWriter::error() must follow.
Result<void> modify(const Context& context, const Plan& plan, const protocol::Request& request,
                    engine::Session& session, Scratch& scratch, protocol::ReplyWriter& reply);

}  // namespace hs::exec
