// Describe: which databases and tables there are, and what columns and indexes a table has.
#pragma once

#include <cstdint>

#include "engine/session.h"
#include "exec/scratch.h"
#include "protocol/reply.h"
#include "protocol/request.h"

namespace hs::exec {

// The number of rows (see engine::Session::describe()). On success the reply is written. On error
// the caller answers with it, which takes back the rows so far. Errors: those of describe(), and
// kReplyTooLong.
Result<uint64_t> describe(const protocol::Request& request, engine::Session& session,
                          Scratch& scratch, protocol::ReplyWriter& reply);

}  // namespace hs::exec
