#include "exec/count.h"

#include "exec/search.h"

namespace hs::exec {
namespace {

// Rows are counted as long as it lives.
class CountScope {
 public:
  CountScope(engine::Cursor& cursor, bool with_filters) : cursor_(cursor) {
    cursor_.begin_count(with_filters);
  }
  ~CountScope() { cursor_.end_count(); }
  CountScope(const CountScope&) = delete;
  CountScope& operator=(const CountScope&) = delete;

 private:
  engine::Cursor& cursor_;
};

Result<uint64_t> count_rows(const protocol::Request& request, engine::Cursor& cursor,
                            Scratch& scratch) {
  const CountScope counting(cursor, !request.filters.empty());
  Scan scan(request, cursor, scratch);
  for (uint64_t rows = 0;; ++rows) {
    Result<bool> found = scan.next();
    if (!found) return std::move(found.error());
    if (!*found) return rows;
  }
}

}  // namespace

Result<uint64_t> count(const Plan& plan, const protocol::Request& request, engine::Session& session,
                       Scratch& scratch, protocol::ReplyWriter& reply) {
  const Result<uint64_t> rows =
      search(plan, request, session, scratch,
             [&](engine::Cursor& cursor) { return count_rows(request, cursor, scratch); });
  if (!rows) return rows.error();
  reply.count(*rows);
  return uint64_t{0};
}

}  // namespace hs::exec
