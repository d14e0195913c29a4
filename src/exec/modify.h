// Modify: the rows of a scan, changed or deleted.
#pragma once

#include "exec/execute.h"

namespace hs::exec {

// Bytes of row positions that a request which changes several rows may collect before it changes
// the first.
inline constexpr size_t kMaxPositionBytes = 64u << 20;

// On success the reply is written. On error a part of it may be, and ReplyWriter::error() must
// follow; nothing is changed then.
Result<void> modify(const Context& context, const protocol::Request& request,
                    const engine::IndexSpecPtr& spec, engine::Session& session,
                    protocol::ReplyWriter& reply);

}  // namespace hs::exec
