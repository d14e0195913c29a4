// `A`: the client shows that it knows the port's secret.
#pragma once

#include "exec/execute.h"

namespace hs::exec {

// Whether `client` may do more than authenticate.
bool may_proceed(const Context& context, const Client& client);
// Whether it has shown that it is one of ours: it has authenticated, or where no secret is asked,
// opened an index.
bool is_known(const Context& context, const Client& client);

// On success the reply is written. On error nothing is, and the client is no longer authorized.
Result<void> authenticate(const Context& context, const protocol::Request& request, Client& client,
                          protocol::ReplyWriter& reply);

}  // namespace hs::exec
