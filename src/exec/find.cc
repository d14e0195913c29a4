#include "exec/find.h"

#include <optional>
#include <string>
#include <utility>

#include "exec/search.h"

namespace hs::exec {

namespace {

void count(std::span<const Value> row, Meter& meter) {
  size_t bytes = 0;
  for (const Value& value : row) bytes += value.size;
  meter.add_bytes(bytes);
}

// The cursor's current row, and behind it when the row expires.
Result<void> write_row_and_expiry(engine::Cursor& cursor, Scratch& scratch,
                                  protocol::ReplyWriter& reply) {
  const Result<std::optional<int64_t>> expires_at = cursor.expires_at();
  if (!expires_at) return expires_at.error();
  Result<std::span<const Value>> row = cursor.row();
  if (!row) return std::move(row.error());
  count(*row, scratch.meter);
  scratch.values.assign(row->begin(), row->end());
  scratch.moment = *expires_at ? std::to_string(**expires_at) : std::string();
  scratch.values.push_back(*expires_at ? Value::of(scratch.moment) : Value::null());
  if (!reply.row(scratch.values)) return ErrorCode::kReplyTooLong;
  return {};
}

}  // namespace

Result<void> write_row(engine::Cursor& cursor, Scratch& scratch, protocol::ReplyWriter& reply) {
  Result<std::span<const Value>> row = cursor.row();
  if (!row) return std::move(row.error());
  count(*row, scratch.meter);
  if (!reply.row(*row)) return ErrorCode::kReplyTooLong;
  return {};
}

namespace {

// Reads the rest of the rows to find out whether they still fit the reply.
Result<void> measure_rest(Scan& scan, engine::Cursor& cursor, Scratch& scratch, uint64_t max_rows,
                          protocol::ReplyWriter& reply) {
  for (uint64_t rows = 1;; ++rows) {
    Result<bool> found = scan.next();
    if (!found) return std::move(found.error());
    if (!*found) return {};
    if (rows > max_rows) return ErrorCode::kTooManyRows;
    Result<std::span<const Value>> row = cursor.row();
    if (!row) return std::move(row.error());
    count(*row, scratch.meter);
    if (!reply.measure(*row)) return ErrorCode::kReplyTooLong;
  }
}

// A reply that was sent in part cannot become an error any more. So when a reply grows too long to
// be kept, the rest of its rows is read twice: first to see whether they fit, then to send them. It
// is kept all the same where the second time may find other rows: one could come twice, or not at
// all. Returns how many rows there were.
Result<uint64_t> write_rows(const protocol::Request& request, const engine::Session& session,
                            engine::Cursor& cursor, Scratch& scratch, uint32_t max_rows,
                            protocol::ReplyWriter& reply) {
  std::optional<Scan> scan(std::in_place, request, cursor, scratch);
  for (uint64_t rows = 1;; ++rows) {
    Result<bool> found = scan->next();
    if (!found) return std::move(found.error());
    if (!*found) return rows - 1;
    if (rows > max_rows) return ErrorCode::kTooManyRows;
    Result<void> written = request.returns_expiry ? write_row_and_expiry(cursor, scratch, reply)
                                                  : write_row(cursor, scratch, reply);
    if (!written) return std::move(written.error());
    if (!reply.should_stream() || !session.reads_again_alike()) continue;
    if (Result<void> fits = measure_rest(*scan, cursor, scratch, max_rows - rows, reply); !fits) {
      return std::move(fits.error());
    }
    reply.stream();
    scan.emplace(request, cursor, scratch, rows);
  }
}

}  // namespace

Result<uint64_t> find(const Context& context, const Plan& plan, const protocol::Request& request,
                      engine::Session& session, Scratch& scratch, protocol::ReplyWriter& reply) {
  Result<uint64_t> rows = search(plan, request, session, scratch, [&](engine::Cursor& cursor) {
    reply.begin_rows(cursor.columns());
    return write_rows(request, session, cursor, scratch, context.limits.max_rows, reply);
  });
  if (rows) reply.end_rows();
  return rows;
}

}  // namespace hs::exec
