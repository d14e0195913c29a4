// SPDX-License-Identifier: GPL-2.0-only
// What the cursors of all servers do in the same words: how they come by rows.
#include "server_parts.h"
// (before anything else)
#include "in_server/row_errors.h"
#include "server_words.h"

namespace hs {
namespace {

// How many rows are passed over before the session reports the work.
constexpr uint32_t kRowsToTell = 64;

}  // namespace

// The engine reads the columns that were marked when the index was begun, so it is begun again.
void SqlCursor::read_key_columns() {
  end_index();
  mark_key_columns();
  table_->file->column_bitmaps_signal();
}

Result<bool> SqlCursor::next() { return landed(search_.next()); }

Result<bool> SqlCursor::landed(int error) {
  // A long scan that wants none of its rows makes no other call that would notice a KILL.
  const THD* const thd = session_.thd();
  for (uint32_t passed = 1;
       error == 0 && !in_server::is_killed(thd) && (is_absent() || !search_.meets_conditions());
       ++passed) {
    if (passed % kRowsToTell == 0) session_.works(kRowsToTell);
    error = search_.next();
  }
  if (in_server::is_killed(thd)) return session_.take_error(in_server::kKilled);
  switch (error) {
    case 0:
      return true;
    case HA_ERR_KEY_NOT_FOUND:
    case HA_ERR_END_OF_FILE:
      return false;
    default:
      return take_error(error);
  }
}

Result<std::span<const Value>> SqlCursor::row() {
  for (size_t i = 0; i < texts_.size(); ++i)
    if (!texts_[i].read(&row_[i])) return Error::engine(HA_ERR_OUT_OF_MEM);
  return std::span<const Value>(row_);
}

Result<bool> SqlCursor::keeps_key(std::span<const Value> key) {
  end_index();
  Result<bool> built = search_.build(KeyOperator::kEqual, key, changes_);
  if (!built || !*built) return built;
  if (in_server::is_killed(session_.thd())) return session_.take_error(in_server::kKilled);
  Field* const counter = table_->found_next_number_field;
  if (counter == nullptr || (session_.thd()->variables.sql_mode & MODE_NO_AUTO_VALUE_ON_ZERO)) {
    return true;
  }
  return !search_.has_column(counter, key.size()) || counter->val_int() != 0;
}

Result<bool> SqlCursor::seek_position(std::string_view position) {
  const int error = search_.go_to(position);
  if (in_server::is_killed(session_.thd())) return session_.take_error(in_server::kKilled);
  if (error == 0) return !is_absent() && search_.meets_key();
  if (in_server::is_gone(error)) return false;
  return take_error(error);
}

Result<void> SqlCursor::failed(int number) { return take_error(number); }

}  // namespace hs
