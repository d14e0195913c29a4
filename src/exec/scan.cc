#include "exec/scan.h"

#include <algorithm>

namespace hs::exec {

Result<void> check_scan(const protocol::Request& request, const engine::Cursor& cursor) {
  if (request.key_count > cursor.key_parts()) return ErrorCode::kKeyParts;
  if (request.error) return *request.error;
  if (request.in) {
    if (request.in->key_part >= request.key.size()) return ErrorCode::kKeyParts;
    if (request.key.size() > kMaxInKeyParts) return ErrorCode::kKeyParts;
  }
  if (!request.filters.empty()) return ErrorCode::kNotImplemented;
  return {};
}

Scan::Scan(const protocol::Request& request, engine::Cursor& cursor)
    : request_(request), cursor_(cursor), skip_(request.offset), left_(request.limit) {
  if (request.in) std::copy(request.key.begin(), request.key.end(), in_key_.emplace().begin());
}

Result<bool> Scan::next() {
  // Asked before the cursor moves: the row behind the last one is never read (nor locked).
  if (left_ == 0) return false;
  for (;;) {
    Result<bool> found = advance();
    if (!found || !*found) return found;
    if (skip_ == 0) break;
    --skip_;
  }
  --left_;
  return true;
}

Result<bool> Scan::advance() {
  if (request_.in) return advance_in();
  if (positioned_) return cursor_.next();
  positioned_ = true;
  return cursor_.seek(request_.op, request_.key);
}

// One index read for each listed value and so at most one row; a miss is passed over.
Result<bool> Scan::advance_in() {
  const std::span<const Value> values = request_.in->values;
  while (in_position_ < values.size()) {
    (*in_key_)[request_.in->key_part] = values[in_position_++];
    Result<bool> found = cursor_.seek(request_.op, {in_key_->data(), request_.key.size()});
    if (!found || *found) return found;
  }
  return false;
}

}  // namespace hs::exec
