#include "exec/find.h"

#include "exec/request_scope.h"
#include "exec/scan.h"

namespace hs::exec {

Result<void> write_row(engine::Cursor& cursor, protocol::ReplyWriter& reply) {
  Result<std::span<const Value>> row = cursor.row();
  if (!row) return std::move(row.error());
  if (!reply.row(*row)) return ErrorCode::kReplyTooLong;
  return {};
}

Result<void> find(const protocol::Request& request, const engine::IndexSpecPtr& spec,
                  engine::Session& session, Scratch& scratch, protocol::ReplyWriter& reply) {
  RequestScope scope(session);
  Result<engine::Cursor*> begun = scope.begin(spec, engine::Access::kRead);
  if (!begun) return std::move(begun.error());
  engine::Cursor& cursor = **begun;
  if (Result<void> checked = check_key(request, cursor); !checked) return checked;
  if (Result<void> checked = check_contents(request); !checked) return checked;
  if (Result<void> set = set_filters(request, cursor, scratch); !set) return set;

  reply.begin_rows(cursor.columns());
  Scan scan(request, cursor);
  for (;;) {
    Result<bool> found = scan.next();
    if (!found) return std::move(found.error());
    if (!*found) break;
    if (Result<void> written = write_row(cursor, reply); !written) return written;
  }
  if (Result<void> ended = scope.end(); !ended) return ended;
  reply.end_rows();
  return {};
}

}  // namespace hs::exec
