#include "exec/insert.h"

#include <array>
#include <charconv>
#include <limits>

#include "exec/find.h"
#include "exec/one_row.h"
#include "exec/request_scope.h"

namespace hs::exec {
namespace {

using Inserted = engine::Cursor::Inserted;

// Writes the rows that were there to the reply.
class OldRows final : public engine::Cursor::RowsInTheWay {
 public:
  explicit OldRows(protocol::ReplyWriter& reply) : reply_(reply) {}
  Result<void> take(std::span<const Value> row) override {
    if (!reply_.row(row)) return ErrorCode::kReplyTooLong;
    return {};
  }
  void take_back() override { reply_.take_back_row(); }

 private:
  protocol::ReplyWriter& reply_;
};

// A number as text, without an allocation.
class Digits {
 public:
  explicit Digits(uint64_t number)
      : size_(static_cast<size_t>(
            std::to_chars(text_.data(), text_.data() + text_.size(), number).ptr - text_.data())) {}
  Value value() const { return Value::of({text_.data(), size_}); }

 private:
  std::array<char, std::numeric_limits<uint64_t>::digits10 + 1> text_;
  size_t size_;
};

Result<void> write_outcome(engine::Access access, const Inserted& inserted,
                           protocol::ReplyWriter& reply) {
  if (access == engine::Access::kInsert) {
    if (inserted.has_auto_increment) {
      reply.count(inserted.generated_id);
    } else {
      reply.ok();
    }
    return {};
  }
  if (inserted.has_auto_increment) {
    const Digits outcome(inserted.outcome);
    const Digits id(inserted.generated_id);
    return reply_row(std::array{outcome.value(), id.value()}, reply);
  }
  reply.count(inserted.outcome);
  return {};
}

uint64_t rows_changed(engine::Access access, const Inserted& inserted) {
  const bool was_updated = access == engine::Access::kUpsert && inserted.outcome != 0;
  return was_updated ? 1 : inserted.outcome;
}

}  // namespace

Result<uint64_t> insert(const Plan& plan, const protocol::Request& request,
                        engine::Session& session, Scratch& scratch, protocol::ReplyWriter& reply) {
  RequestScope scope(session);
  Result<engine::Cursor*> begun = scope.begin(plan, request);
  if (!begun) return std::move(begun.error());
  engine::Cursor& cursor = **begun;

  if (!request.row_key.empty()) {
    const Result<bool> keeps = cursor.keeps_key(request.row_key);
    if (!keeps) return keeps.error();
    if (!*keeps) return ErrorCode::kKeyValue;
  }
  const bool returns = request.return_old || request.return_new;
  if (returns) reply.begin_rows(cursor.columns());
  OldRows old_rows(reply);
  const Result<Inserted> inserted =
      plan.access == engine::Access::kInsert
          ? cursor.insert(request.values)
          : cursor.put(request.values, request.updates, request.return_old ? &old_rows : nullptr);
  if (!inserted) return inserted.error();
  const bool has_row = plan.access != engine::Access::kInsertIgnore || inserted->outcome != 0;
  if (request.return_new && has_row) {
    if (Result<void> written = write_row(cursor, scratch, reply); !written) return written.error();
  }
  if (Result<void> ended = scope.end(); !ended) return std::move(ended.error());
  if (returns) {
    reply.end_rows();
  } else if (Result<void> written = write_outcome(plan.access, *inserted, reply); !written) {
    return written.error();
  }
  return rows_changed(plan.access, *inserted);
}

}  // namespace hs::exec
