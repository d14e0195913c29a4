// The client shows that it knows its endpoint's secret, or logs in (see exec/login.h).
#pragma once

#include "base/result.h"
#include "exec/client.h"
#include "protocol/reply.h"
#include "protocol/request.h"

namespace hs::exec {

// Whether `client` may do more than authenticate.
bool may_proceed(const Client& client);
// Whether `client` has shown that it belongs here: it has authenticated, or, where no secret is
// asked for, opened an index or named a table by a key.
bool is_known(const Client& client);

// On success the reply is written. On error nothing is, and the client is no longer authorized.
Result<void> authenticate(const protocol::Request& request, Client& client,
                          protocol::ReplyWriter& reply);

}  // namespace hs::exec
