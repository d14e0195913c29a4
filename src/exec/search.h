// What a find and a count have in common: they go over the rows of a request and change nothing.
#pragma once

#include <cstdint>
#include <utility>

#include "exec/request_scope.h"
#include "exec/scan.h"

namespace hs::exec {

// Begins the request on its cursor, makes the checks that need the table, sets the filters, and calls
// `work` with the cursor. Returns what `work` does, a Result with the number of rows, once the
// request has ended. Errors: those of RequestScope, check_key(), check_contents(), the filters and
// `work`.
template <class Work>
Result<uint64_t> search(const Plan& plan, const protocol::Request& request,
                        engine::Session& session, Scratch& scratch, Work work) {
  RequestScope scope(session);
  Result<engine::Cursor*> begun = scope.begin(plan, request);
  if (!begun) return std::move(begun.error());
  engine::Cursor& cursor = **begun;
  if (Result<void> checked = check_key(request, cursor); !checked) return checked.error();
  if (Result<void> checked = check_contents(request); !checked) return checked.error();
  FiltersInCursor filters(request, cursor);
  if (Result<void> set = filters.set(scratch); !set) return std::move(set.error());

  Result<uint64_t> rows = work(cursor);
  if (!rows) return rows;
  filters.take_out();
  if (Result<void> ended = scope.end(); !ended) return std::move(ended.error());
  return rows;
}

}  // namespace hs::exec
