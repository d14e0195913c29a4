// `P`: gives an index of a table, and columns of it, an id on the connection.
#pragma once

#include "exec/execute.h"

namespace hs::exec {

// Bytes of one name; longer ones cannot exist.
inline constexpr size_t kMaxNameSize = 256;  // 64 characters of 4 bytes

// Names in the column lists of all indexes of one connection.
inline constexpr size_t kMaxOpenColumns = 65536;

// On success the reply is written. On error nothing is, and the id keeps its old meaning.
Result<void> open_index(const Context& context, const protocol::Request& request, Client& client,
                        engine::Session& session, protocol::ReplyWriter& reply);

}  // namespace hs::exec
