// `+` in the place of the operator: adds a row.
#pragma once

#include "exec/execute.h"

namespace hs::exec {

// On success the reply is written. On error nothing is written and nothing is changed.
Result<void> insert(const Plan& plan, const protocol::Request& request, engine::Session& session,
                    protocol::ReplyWriter& reply);

}  // namespace hs::exec
