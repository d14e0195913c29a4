// The reply to a request whose answer is one row that no table holds.
#pragma once

#include <span>

#include "base/result.h"
#include "base/value.h"
#include "protocol/reply.h"

namespace hs::exec {

// kReplyTooLong when it does not fit.
inline Result<void> reply_row(std::span<const Value> row, protocol::ReplyWriter& reply) {
  reply.begin_rows(row.size());
  if (!reply.row(row)) return ErrorCode::kReplyTooLong;
  reply.end_rows();
  return {};
}

}  // namespace hs::exec
