#include "exec/scan.h"

#include <algorithm>
#include <limits>

namespace hs::exec {

Result<void> check_key(const protocol::Request& request, const engine::Cursor& cursor) {
  if (request.key_count > cursor.key_parts()) return ErrorCode::kKeyParts;
  return {};
}

Result<void> check_contents(const protocol::Request& request) {
  if (request.error) return *request.error;
  if (!request.in) return {};
  if (request.in->key_part >= request.key.size()) return ErrorCode::kKeyParts;
  if (request.key.size() > kMaxInKeyParts) return ErrorCode::kKeyParts;
  return {};
}

Result<void> FiltersInCursor::set(Scratch& scratch) {
  // Filters of an earlier request stay in the cursor, but are not evaluated.
  if (request_.filters.empty()) return {};
  std::vector<engine::Cursor::Filter>& filters = scratch.filters;
  filters.clear();
  for (const protocol::Filter& filter : request_.filters) {
    filters.push_back({filter.column, *filter.op, filter.value});
  }
  scratch.meter.expect(filters.size() * Meter::kValue);
  are_many_ = filters.size() > kKept;
  Result<void> done = cursor_.set_filters(filters);
  if (filters.capacity() > kKept) std::vector<engine::Cursor::Filter>().swap(filters);
  return done;
}

Scan::Scan(const protocol::Request& request, engine::Cursor& cursor, Scratch& scratch,
           uint64_t done)
    : request_(request), cursor_(cursor), scratch_(scratch), done_(done) {
  if (request.in) std::copy(request.key.begin(), request.key.end(), in_key_.emplace().begin());
  begin_search();
}

Result<bool> Scan::next() {
  for (;;) {
    Result<bool> found = next_of_search();
    if (!found) return found;
    if (*found) {
      if (done_ == 0) return true;
      --done_;
    } else if (!begin_next_search()) {
      return false;
    }
  }
}

void Scan::begin_search() {
  skip_ = request_.offset;
  left_ = request_.limit != 0 ? request_.limit : std::numeric_limits<uint64_t>::max();
  positioned_ = false;
  if (takes_all()) (*in_key_)[request_.in->key_part] = request_.in->values[in_position_++];
}

bool Scan::begin_next_search() {
  if (!takes_all() || in_position_ == request_.in->values.size()) return false;
  begin_search();
  return true;
}

Result<bool> Scan::next_of_search() {
  // Checked before the cursor moves: the row behind the last one is never read (nor locked).
  if (left_ == 0) return false;
  for (;;) {
    Result<bool> found = advance();
    if (!found || !*found) return found;
    const Verdict verdict = judge();
    if (verdict == Verdict::kStop) return false;
    if (verdict == Verdict::kSkip) continue;
    if (skip_ == 0) break;
    --skip_;
  }
  --left_;
  return true;
}

Result<bool> Scan::advance() {
  if (request_.in && !request_.in->takes_all) return advance_in();
  scratch_.meter.add(Meter::kRow);
  if (positioned_) return cursor_.next();
  positioned_ = true;
  if (!request_.in) return cursor_.seek(request_.op, request_.key);
  scratch_.meter.add(Meter::kValue);
  return cursor_.seek(request_.op, {in_key_->data(), request_.key.size()});
}

Scan::Verdict Scan::judge() {
  for (size_t i = 0; i < request_.filters.size(); ++i) {
    scratch_.meter.add(Meter::kFilter);
    if (!cursor_.passes(i)) return request_.filters[i].stops ? Verdict::kStop : Verdict::kSkip;
  }
  return Verdict::kTake;
}

// One index read for each listed value, which gives one row at most. A value without a row is
// passed over.
Result<bool> Scan::advance_in() {
  const std::span<const Value> values = request_.in->values;
  while (in_position_ < values.size()) {
    (*in_key_)[request_.in->key_part] = values[in_position_++];
    scratch_.meter.add(Meter::kRow + Meter::kValue);
    Result<bool> found = cursor_.seek(request_.op, {in_key_->data(), request_.key.size()});
    if (!found || *found) return found;
  }
  return false;
}

}  // namespace hs::exec
