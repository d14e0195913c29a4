// SPDX-License-Identifier: GPL-2.0-only
#include "columns/sums.h"

#include <string>

#include "adapter/number_text.h"
#include "columns/kinds.h"

namespace hs::columns {
namespace {

// A strict server raises the error of a sum itself when it is stored as text. Between -1 and 0 it would
// round it, also for an unsigned column, where SQL's sum is an error.
bool is_judged_when_stored(THD* thd, const Value& sum) {
  return thd->is_strict_mode() && !sum.text().starts_with("-0.");
}

bool is_bigint(const Field* field, const Value& sum) {
  return !is_integer(field) || adapter::begins_with_bigint(sum.text(), is_unsigned(field));
}

}  // namespace

std::optional<Error> refusal_of_sum(THD* thd, const Field* field, const Value& sum) {
  if (is_judged_when_stored(thd, sum) || is_bigint(field, sum)) return {};
  const char* const type = is_unsigned(field) ? "BIGINT UNSIGNED" : "BIGINT";
  return Error::sql(ER_DATA_OUT_OF_RANGE,
                    std::string(type) + " value is out of range in '" + name_of(field) + "'");
}

}  // namespace hs::columns
