#include "exec/privileges.h"

#include <algorithm>

namespace hs::exec {
namespace {

// SQL's errors: a command is denied for a table, for a column.
constexpr int kForTable = 1142;
constexpr int kForColumn = 1143;

using engine::Rights;
using protocol::Request;

// The filter columns that the request looks at, as a count from the first one on.
size_t filter_columns(const Request& request) {
  size_t count = 0;
  for (const protocol::Filter& filter : request.filters) {
    count = std::max(count, size_t{filter.column} + 1);
  }
  return count;
}

// What a request reads to find its rows, as the WHERE of a statement.
// The order of all rows is that of the first key column.
bool may_search(const Request& request, const Rights& rights) {
  return std::max<size_t>(request.key.size(), 1) <= rights.select_key &&
         (rights.select_filters == Rights::kAll ||
          filter_columns(request) <= rights.select_filters);
}

std::optional<Error> denied(int number) { return Error::access_denied(number); }

std::optional<Error> denial_of_find(const engine::IndexSpec& spec, const Request& request,
                                    const Rights& rights) {
  if (!rights.selects) return denied(kForTable);
  const bool returns_rows = request.verb == protocol::Verb::kFind;
  if ((returns_rows && spec.columns.size() > rights.select_columns) ||
      !may_search(request, rights)) {
    return denied(kForColumn);
  }
  return {};
}

std::optional<Error> denial_of_change(const engine::IndexSpec& spec, const Request& request,
                                      engine::Access access, const Rights& rights) {
  const bool erases = access == engine::Access::kDelete;
  if (erases ? !rights.deletes : !rights.updates) return denied(kForTable);
  // One value too many is an error of its own, or the end of the message.
  const size_t values = std::min(request.values.size(), spec.columns.size());
  if (!erases && values > rights.update_columns) return denied(kForColumn);
  size_t read = 0;
  if (!erases && counts(request.modification)) read = values;
  if (request.return_old || request.return_new) read = spec.columns.size();
  if (read > rights.select_columns || !may_search(request, rights)) return denied(kForColumn);
  return {};
}

std::optional<Error> denial_of_insert(const engine::IndexSpec& spec, const Request& request,
                                      engine::Access access, const Rights& rights) {
  const bool updates = access == engine::Access::kUpsert;
  const bool erases = access == engine::Access::kReplace;
  if (!rights.inserts || (updates && !rights.updates) || (erases && !rights.deletes)) {
    return denied(kForTable);
  }
  // What is asked for is what SQL asks for: to insert what is returned afterwards, to update what is
  // only inserted, and to read what an upsert sets, since the reply tells whether it was so already.
  const size_t given = request.return_new ? spec.columns.size() : request.values.size();
  if (given > rights.insert_columns) return denied(kForColumn);
  size_t read = 0;
  if (updates) {
    const size_t set = request.updates ? request.updates->size() : request.values.size();
    if (std::max(given, set) > rights.update_columns) return denied(kForColumn);
    read = set;
  }
  if (request.return_old || request.return_new) read = spec.columns.size();
  if (read > rights.select_columns) return denied(kForColumn);
  return {};
}

}  // namespace

std::optional<Error> denial(const Plan& plan, const Request& request, const Rights& rights) {
  const engine::IndexSpec& spec = **plan.spec;
  if (!rights.sees) return Error{ErrorCode::kOpenTable, 0, {}};
  switch (plan.access) {
    case engine::Access::kRead:
      return denial_of_find(spec, request, rights);
    case engine::Access::kInsert:
    case engine::Access::kInsertIgnore:
    case engine::Access::kUpsert:
    case engine::Access::kReplace:
      return denial_of_insert(spec, request, plan.access, rights);
    case engine::Access::kUpdate:
    case engine::Access::kDelete:
      break;
  }
  return denial_of_change(spec, request, plan.access, rights);
}

std::optional<Error> denial_of_open(const engine::IndexSpec& spec, engine::Mode mode,
                                    const Rights& rights) {
  if (!rights.sees) return Error{ErrorCode::kOpenTable, 0, {}};
  if (!rights.selects && !rights.inserts && !rights.updates && !rights.deletes) {
    return denied(kForTable);
  }
  if (mode != engine::Mode::kReadOnly) return {};
  if (!rights.selects) return denied(kForTable);
  const bool reads_all = spec.columns.size() <= rights.select_columns &&
                         spec.filter_columns.size() <= rights.select_filters &&
                         rights.select_key > 0;
  return reads_all ? std::nullopt : denied(kForColumn);
}

}  // namespace hs::exec
