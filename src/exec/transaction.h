// Transactions that a client begins and ends: what their steps do on the transaction's session.
#pragma once

#include "base/result.h"
#include "engine/session.h"
#include "protocol/request.h"

namespace hs::exec {

// Carries out a step. `session` has begun no transaction for kBegin, and is in one for the others.
// Whatever comes of kCommit and kRollback, the transaction has ended. Errors: kMissingValue; kSql, no
// savepoint can have the name; those of the session.
Result<void> take_step(const protocol::Request& request, engine::Session& session);

}  // namespace hs::exec
