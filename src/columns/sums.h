// SPDX-License-Identifier: GPL-2.0-only
// Sums that are about to be stored, as SQL judges them.
#pragma once

#include "server_dialect.h"
// (before anything else)
#include <optional>

#include "base/result.h"
#include "base/value.h"

namespace hs::columns {

// Why SQL would not store the sum in the column; none: it would, or the store itself raises the error. An
// integer column's sum must be within the BIGINT that SQL counts in. Whether it is within the column's own
// range is decided when it is stored.
std::optional<Error> refusal_of_sum(THD* thd, const Field* field, const Value& sum);

}  // namespace hs::columns
