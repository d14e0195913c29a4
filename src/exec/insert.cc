#include "exec/insert.h"

#include "exec/request_scope.h"

namespace hs::exec {

Result<uint64_t> insert(const Plan& plan, const protocol::Request& request,
                        engine::Session& session, protocol::ReplyWriter& reply) {
  RequestScope scope(session);
  Result<engine::Cursor*> cursor = scope.begin(plan, request);
  if (!cursor) return std::move(cursor.error());
  Result<engine::Cursor::Inserted> inserted = (*cursor)->insert(request.values);
  if (!inserted) return std::move(inserted.error());
  if (Result<void> ended = scope.end(); !ended) return std::move(ended.error());
  if (inserted->has_auto_increment) {
    reply.count(inserted->generated_id);
  } else {
    reply.ok();
  }
  return uint64_t{1};
}

}  // namespace hs::exec
