#include "exec/modify.h"

#include "exec/find.h"
#include "exec/increment.h"
#include "exec/positions.h"
#include "exec/request_scope.h"
#include "exec/scan.h"

namespace hs::exec {
namespace {

using Updated = engine::Cursor::Updated;

// The changes of one request.
class Change {
 public:
  Change(const Context& context, const protocol::Request& request, engine::Cursor& cursor,
         Scratch& scratch, protocol::ReplyWriter& reply)
      : context_(context),
        request_(request),
        cursor_(cursor),
        scratch_(scratch),
        increment_(cursor, scratch, request.counts_integers),
        reply_(reply) {}

  // Prepares what is the same for all rows. `values` has one for each column, or none for a delete.
  // Errors: kNumber, kNotANumber.
  Result<void> prepare(std::span<const std::string> columns, std::span<const Value> values) {
    if (counts(request_.modification)) {
      if (request_.sets_last) {
        beside_ = {values.size() - 1, values.back(), false, {}};
        values = values.first(values.size() - 1);
      }
      return increment_.prepare(request_.modification, columns, values);
    }
    scratch_.assignments.clear();
    for (const Value& value : values) {
      scratch_.assignments.push_back({scratch_.assignments.size(), value, false, {}});
    }
    return {};
  }

  // Changes the rows; returns how many there were.
  Result<uint64_t> run() {
    Scan scan(request_, cursor_, scratch_);
    Result<void> done = may_meet_its_changes() ? collect_and_change(scan) : change_in_place(scan);
    if (!done) return std::move(done.error());
    return rows_;
  }

 private:
  // A change may move a row forward in the index that is being walked, where the scan would find it
  // again. Some engines also lose their place in an index when a row is deleted. Neither can happen
  // with one row at most. IN seeks anew for each value, and each value is meant to see the changes
  // of those before.
  bool may_meet_its_changes() const {
    return request_.limit > 1 && (!request_.in || request_.in->takes_all);
  }

  Result<void> change_in_place(Scan& scan) {
    for (;;) {
      Result<bool> found = scan.next();
      if (!found) return std::move(found.error());
      if (!*found) return {};
      if (Result<void> done = change_row(scan); !done) return done;
    }
  }

  Result<void> collect_and_change(Scan& scan) {
    do {
      if (Result<void> done = collect_and_change_search(scan); !done) return done;
    } while (scan.begin_next_search());
    return {};
  }

  Result<void> collect_and_change_search(Scan& scan) {
    Positions positions;
    for (uint64_t rows = 0;; ++rows) {
      Result<bool> found = scan.next_of_search();
      if (!found) return std::move(found.error());
      if (!*found) break;
      if (rows == context_.limits.max_changed_rows || !positions.add(cursor_.position())) {
        return ErrorCode::kTooManyRows;
      }
    }
    std::string_view position;
    while (positions.take(&position)) {
      scratch_.meter.add(Meter::kRow);
      Result<bool> found = cursor_.seek_position(position);
      if (!found) return std::move(found.error());
      // An earlier change of this request may have deleted or changed the row (a foreign key's
      // cascade).
      if (!*found || !scan.meets_filters()) continue;
      if (Result<void> done = change_row(scan); !done) return done;
    }
    return {};
  }

  Result<void> change_row(Scan& scan) {
    scratch_.meter.add(Meter::kChange);
    if (rows_ == context_.limits.max_changed_rows) return ErrorCode::kTooManyRows;
    for (;;) {
      Result<Updated> changed = counts(request_.modification) ? count_row() : set_row();
      if (!changed) return std::move(changed.error());
      if (*changed == Updated::kDone) return {};
      if (request_.return_old) reply_.take_back_row();
      if (*changed == Updated::kGone || !scan.meets_filters()) return {};
    }
  }

  Result<Updated> set_row() {
    if (request_.return_old) {
      if (Result<void> written = write_row(cursor_, scratch_, reply_); !written)
        return std::move(written.error());
    }
    if (request_.modification != Modification::kDelete) return update(scratch_.assignments);
    if (Result<void> erased = cursor_.erase(); !erased) return std::move(erased.error());
    ++rows_;
    return Updated::kDone;
  }

  Result<Updated> update(std::span<const engine::Cursor::Assignment> assignments) {
    Result<Updated> updated = cursor_.update(assignments);
    if (!updated || *updated != Updated::kDone) return updated;
    ++rows_;
    return write_new();
  }

  // The row as it is now, if it is wanted.
  Result<Updated> write_new() {
    if (!request_.return_new) return Updated::kDone;
    if (Result<void> written = write_row(cursor_, scratch_, reply_); !written)
      return std::move(written.error());
    return Updated::kDone;
  }

  Result<Updated> count_row() {
    Result<std::span<const Value>> row = cursor_.row();
    if (!row) return std::move(row.error());
    if (request_.return_old && !reply_.row(*row)) return ErrorCode::kReplyTooLong;
    Result<bool> changes = increment_.compute(*row);
    if (!changes) return std::move(changes.error());
    if (!*changes) return write_new();
    if (!increment_.assignments().empty()) {
      if (request_.sets_last) scratch_.assignments.push_back(beside_);
      return update(scratch_.assignments);
    }
    ++rows_;
    return write_new();
  }

  const Context& context_;
  const protocol::Request& request_;
  engine::Cursor& cursor_;
  Scratch& scratch_;
  Increment increment_;
  engine::Cursor::Assignment beside_;  // is set together with what is counted
  protocol::ReplyWriter& reply_;
  uint64_t rows_ = 0;
};

// The request's values, one for each column; none for a delete.
Result<std::span<const Value>> values_for(const protocol::Request& request, size_t columns) {
  std::span<const Value> values = request.values;
  if (request.modification == Modification::kDelete) return values.first(0);
  // A column without a value would need a guess.
  if (values.size() < columns) return ErrorCode::kMissingValue;
  const size_t most = request.last_is_optional ? columns + 1 : columns;
  if (values.size() > most) return ErrorCode::kValueCount;
  return values.first(columns);
}

}  // namespace

Result<uint64_t> modify(const Context& context, const Plan& plan, const protocol::Request& request,
                        engine::Session& session, Scratch& scratch, protocol::ReplyWriter& reply) {
  RequestScope scope(session);
  Result<engine::Cursor*> begun = scope.begin(plan, request);
  if (!begun) return std::move(begun.error());
  engine::Cursor& cursor = **begun;
  if (Result<void> checked = check_key(request, cursor); !checked) return checked.error();
  Result<std::span<const Value>> values = values_for(request, cursor.columns());
  if (!values) return std::move(values.error());
  if (Result<void> checked = check_contents(request); !checked) return checked.error();
  Change change(context, request, cursor, scratch, reply);
  if (Result<void> prepared = change.prepare((*plan.spec)->columns, *values); !prepared)
    return std::move(prepared.error());
  FiltersInCursor filters(request, cursor);
  if (Result<void> set = filters.set(scratch); !set) return std::move(set.error());

  const bool returns = request.return_old || request.return_new;
  if (returns) reply.begin_rows(cursor.columns());
  Result<uint64_t> rows = change.run();
  if (!rows) return std::move(rows.error());
  filters.take_out();
  if (Result<void> ended = scope.end(); !ended) return std::move(ended.error());
  if (returns) {
    reply.end_rows();
  } else {
    reply.count(*rows);
  }
  return *rows;
}

}  // namespace hs::exec
