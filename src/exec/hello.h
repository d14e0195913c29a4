// Hello: the server says who it is and what it can do, the client what it is called.
#pragma once

#include "exec/client.h"
#include "exec/context.h"
#include "protocol/reply.h"
#include "protocol/request.h"

namespace hs::exec {

// A client's name is cut to this many bytes, and shown with '?' for all that is not printable ASCII.
inline constexpr size_t kMaxClientName = 64;

// The reply is a row: the version of the protocol, the product, and behind authentication the
// versions of product and database, the features and the connection's id; before it, the methods to
// authenticate with.
Result<void> hello(const Context& context, const protocol::Request& request, Client& client,
                   protocol::ReplyWriter& reply);

}  // namespace hs::exec
