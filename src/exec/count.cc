#include "exec/count.h"

#include "exec/request_scope.h"
#include "exec/scan.h"

namespace hs::exec {
namespace {

// Rows are counted as long as it lives.
class Counting {
 public:
  Counting(engine::Cursor& cursor, bool with_filters) : cursor_(cursor) {
    cursor_.begin_count(with_filters);
  }
  ~Counting() { cursor_.end_count(); }
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;

 private:
  engine::Cursor& cursor_;
};

Result<uint64_t> count_rows(const protocol::Request& request, engine::Cursor& cursor,
                            Scratch& scratch) {
  const Counting counting(cursor, !request.filters.empty());
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
  RequestScope scope(session);
  Result<engine::Cursor*> begun = scope.begin(plan, request);
  if (!begun) return std::move(begun.error());
  engine::Cursor& cursor = **begun;
  if (Result<void> checked = check_key(request, cursor); !checked) return checked.error();
  if (Result<void> checked = check_contents(request); !checked) return checked.error();
  FiltersInCursor filters(request, cursor);
  if (Result<void> set = filters.set(scratch); !set) return std::move(set.error());

  const Result<uint64_t> rows = count_rows(request, cursor, scratch);
  if (!rows) return rows.error();
  filters.take_out();
  if (Result<void> ended = scope.end(); !ended) return std::move(ended.error());
  reply.count(*rows);
  return uint64_t{0};
}

}  // namespace hs::exec
