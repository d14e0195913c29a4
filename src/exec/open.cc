#include "exec/open.h"

#include "exec/privileges.h"

namespace hs::exec {
namespace {

// An empty name, from a trailing or doubled comma, is kept. No table has such a column, so the
// engine refuses it in its turn, after the table and the index.
Result<void> split(std::string_view list, size_t most, std::vector<std::string>& names) {
  if (list.empty()) return {};
  for (;;) {
    const size_t comma = list.find(',');
    const std::string_view name = list.substr(0, comma);
    if (name.size() > kMaxNameSize) return ErrorCode::kColumn;
    if (names.size() == most) return ErrorCode::kTooManyColumns;
    names.emplace_back(name);
    if (comma == std::string_view::npos) return {};
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

Result<void> open_index(const Context& context, const protocol::Request& request, Client& client,
                        engine::Session& session, protocol::ReplyWriter& reply) {
  if (request.database.size() > kMaxNameSize || request.table.size() > kMaxNameSize) {
    return ErrorCode::kOpenTable;
  }
  if (request.index.size() > kMaxNameSize) return ErrorCode::kIndex;
  engine::IndexSpec names{std::string(request.database),
                          std::string(request.table),
                          std::string(request.index),
                          {},
                          {}};
  const size_t most = context.limits.max_columns;
  if (Result<void> done = split(request.columns, most, names.columns); !done) return done;
  if (Result<void> done = split(request.filter_columns, most, names.filter_columns); !done)
    return done;

  const engine::IndexSpecPtr* old = client.find(request.index_id);
  if (!old && client.open_indexes() >= context.limits.max_open_indexes) {
    return ErrorCode::kTooManyIndexes;
  }
  const size_t freed = old ? column_count(**old) : 0;
  if (client.open_columns() - freed + column_count(names) > kMaxOpenColumns) {
    return ErrorCode::kTooManyIndexes;
  }

  engine::IndexSpecPtr spec = client.pool().intern(std::move(names));
  if (Result<void> opened = session.open(spec); !opened) return opened;
  if (client.account() != nullptr) {
    Result<engine::Cursor*> cursor = session.cursor(spec);
    if (!cursor) return std::move(cursor.error());
    if (auto denied = denial_of_open(*spec, context.mode, session.rights(**cursor))) {
      return *std::move(denied);
    }
  }
  client.set(request.index_id, std::move(spec));
  reply.ok();
  return {};
}

}  // namespace hs::exec
