// Open: an index of a table, and columns of it, under an id of the connection.
#pragma once

#include "exec/execute.h"

namespace hs::exec {

// Longest name, in bytes; no table, index or column can have a longer one.
inline constexpr size_t kMaxNameSize = 256;  // 64 characters of 4 bytes

// How many names the column lists of all indexes of one connection may have.
inline constexpr size_t kMaxOpenColumns = 65536;

// On success the reply is written. On error nothing is written, and the id keeps its old meaning.
Result<void> open_index(const Context& context, const protocol::Request& request, Client& client,
                        engine::Session& session, protocol::ReplyWriter& reply);

}  // namespace hs::exec
