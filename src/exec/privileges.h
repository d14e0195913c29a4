// What an account may not do.
#pragma once

#include <optional>

#include "base/result.h"
#include "engine/engine.h"
#include "exec/plan.h"
#include "protocol/request.h"

namespace hs::exec {

// The error of a request that the account's rights on its index do not allow: kOpenTable when the
// account may not even see the table, else kAccessDenied with the number of the error that the
// equivalent SQL statement gives. Only for a plan of kRead or kChange.
std::optional<Error> denial(const Plan& plan, const protocol::Request& request,
                            const engine::Rights& rights);

// The same for the opening of `spec`, on an endpoint of this mode. On a read-only one all columns
// must be readable. Elsewhere the account must see the table, since each request is checked.
std::optional<Error> denial_of_open(const engine::IndexSpec& spec, engine::Mode mode,
                                    const engine::Rights& rights);

}  // namespace hs::exec
