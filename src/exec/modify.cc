#include "exec/modify.h"

#include "exec/find.h"
#include "exec/request_scope.h"
#include "exec/scan.h"

namespace hs::exec {
namespace {

// Names of rows, one behind the other: each its size, then its bytes.
class Positions {
 public:
  [[nodiscard]] bool add(std::string_view position) {
    const uint32_t size = static_cast<uint32_t>(position.size());
    if (bytes_.size() + sizeof size + position.size() > kMaxPositionBytes) return false;
    bytes_.append(reinterpret_cast<const char*>(&size), sizeof size);
    bytes_.append(position);
    return true;
  }

  // Takes the next one, in the order of add(), into *position; false when there is none left.
  bool take(std::string_view* position) {
    if (taken_ == bytes_.size()) return false;
    uint32_t size = 0;
    bytes_.copy(reinterpret_cast<char*>(&size), sizeof size, taken_);
    *position = std::string_view(bytes_).substr(taken_ + sizeof size, size);
    taken_ += sizeof size + size;
    return true;
  }

 private:
  std::string bytes_;
  size_t taken_ = 0;
};

// The changes of one request.
class Change {
 public:
  Change(const Context& context, const protocol::Request& request, engine::Cursor& cursor,
         protocol::ReplyWriter& reply)
      : context_(context), request_(request), cursor_(cursor), reply_(reply) {}

  // Changes the rows; returns how many there were.
  Result<uint64_t> run() {
    Scan scan(request_, cursor_);
    Result<void> done = may_meet_its_changes() ? collect_and_change(scan) : change_in_place(scan);
    if (!done) return std::move(done.error());
    return rows_;
  }

 private:
  // An update may move a row forward in the index that is being walked, where the scan would find
  // it again. Not when there is one row at most. IN seeks anew for each value, and each is meant to
  // see the changes of the ones before.
  bool may_meet_its_changes() const {
    return request_.modification == Modification::kUpdate && request_.limit > 1 && !request_.in;
  }

  Result<void> change_in_place(Scan& scan) {
    for (;;) {
      Result<bool> found = scan.next();
      if (!found) return std::move(found.error());
      if (!*found) return {};
      if (Result<void> done = change_row(); !done) return done;
    }
  }

  Result<void> collect_and_change(Scan& scan) {
    Positions positions;
    for (uint64_t rows = 0;; ++rows) {
      Result<bool> found = scan.next();
      if (!found) return std::move(found.error());
      if (!*found) break;
      if (rows == context_.limits.max_changed_rows || !positions.add(cursor_.position())) {
        return ErrorCode::kTooManyRows;
      }
    }
    std::string_view position;
    while (positions.take(&position)) {
      Result<bool> found = cursor_.seek_position(position);
      if (!found) return std::move(found.error());
      // Gone since: an earlier change of this request took it along (a foreign key's cascade).
      if (!*found) continue;
      if (Result<void> done = change_row(); !done) return done;
    }
    return {};
  }

  Result<void> change_row() {
    if (rows_ == context_.limits.max_changed_rows) return ErrorCode::kTooManyRows;
    if (request_.return_old) {
      if (Result<void> written = write_row(cursor_, reply_); !written) return written;
    }
    ++rows_;
    return request_.modification == Modification::kDelete ? cursor_.erase()
                                                          : cursor_.update(request_.values);
  }

  const Context& context_;
  const protocol::Request& request_;
  engine::Cursor& cursor_;
  protocol::ReplyWriter& reply_;
  uint64_t rows_ = 0;
};

Result<void> check_values(const protocol::Request& request, const engine::Cursor& cursor) {
  switch (request.modification) {
    case Modification::kDelete:
      break;
    case Modification::kUpdate:
      // A column without a value would have to be guessed.
      if (request.values.size() < cursor.columns()) return ErrorCode::kMissingValue;
      if (request.values.size() > cursor.columns()) return ErrorCode::kValueCount;
      break;
    case Modification::kIncrement:
    case Modification::kDecrement:
      return ErrorCode::kNotImplemented;
  }
  return {};
}

}  // namespace

Result<void> modify(const Context& context, const protocol::Request& request,
                    const engine::IndexSpecPtr& spec, engine::Session& session,
                    protocol::ReplyWriter& reply) {
  const engine::Access access = request.modification == Modification::kDelete
                                    ? engine::Access::kDelete
                                    : engine::Access::kUpdate;
  RequestScope scope(session);
  Result<engine::Cursor*> begun = scope.begin(spec, access);
  if (!begun) return std::move(begun.error());
  engine::Cursor& cursor = **begun;
  if (Result<void> checked = check_scan(request, cursor); !checked) return checked;
  if (Result<void> checked = check_values(request, cursor); !checked) return checked;

  if (request.return_old) reply.begin_rows(cursor.columns());
  Result<uint64_t> rows = Change(context, request, cursor, reply).run();
  if (!rows) return std::move(rows.error());
  if (Result<void> ended = scope.end(); !ended) return ended;
  if (request.return_old) {
    reply.end_rows();
  } else {
    reply.count(*rows);
  }
  return {};
}

}  // namespace hs::exec
