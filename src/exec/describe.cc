#include "exec/describe.h"

#include "exec/open.h"

namespace hs::exec {
namespace {

size_t columns_of(const protocol::Request& request) {
  if (request.database.empty()) return 1;
  if (request.table.empty()) return 2;
  return request.of_indexes ? 6 : 8;
}

class Rows final : public engine::DescriptionRows {
 public:
  Rows(Scratch& scratch, protocol::ReplyWriter& reply) : scratch_(scratch), reply_(reply) {}

  bool take(std::span<const Value> values) override {
    for (const Value& value : values) {
      if (!value.is_null()) scratch_.meter.add_bytes(value.size);
    }
    scratch_.meter.add(Meter::kRow);
    is_full_ = !reply_.row(values);
    if (is_full_) return false;
    ++taken_;
    return true;
  }
  uint64_t taken() const { return taken_; }
  // The reply has no room for all rows.
  bool is_full() const { return is_full_; }

 private:
  Scratch& scratch_;
  protocol::ReplyWriter& reply_;
  uint64_t taken_ = 0;
  bool is_full_ = false;
};

}  // namespace

Result<uint64_t> describe(const protocol::Request& request, engine::Session& session,
                          Scratch& scratch, protocol::ReplyWriter& reply) {
  if (request.database.size() > kMaxNameSize || request.table.size() > kMaxNameSize) {
    return ErrorCode::kOpenTable;
  }
  scratch.meter.add(Meter::kOpen);
  reply.begin_rows(columns_of(request));
  Rows rows(scratch, reply);
  const engine::Described what{request.database, request.table, request.of_indexes};
  Result<void> done = session.describe(what, rows);
  if (!done) return std::move(done.error());
  if (rows.is_full()) return ErrorCode::kReplyTooLong;
  reply.end_rows();
  return rows.taken();
}

}  // namespace hs::exec
