// SPDX-License-Identifier: GPL-2.0-only
// Rows that expire: what a cursor tells of them, and how the purge walks over them. How one gives way to a
// new row is in expired_rows.cc of each adapter.
#include "columns/expired_rows.h"

#include "in_server/mappings.h"
#include "in_server/row_errors.h"
#include "server_parts.h"
#include "server_words.h"

namespace hs {

Result<void> SqlCursor::take_expiry() {
  auto expiry =
      columns::noted_expiry(table_, database_, table_name_,
                            in_server::directory().ttl_of_container(database_, table_name_));
  if (!expiry) return std::move(expiry.error());
  expiry_ = *expiry;
  return {};
}

Result<bool> SqlCursor::seek_expired(std::string_view from) {
  // The table that was listed may be another one now.
  if (!expiry_.exists()) return false;
  if (const int error = search_.begin()) return take_error(error);
  return landed_on_expired(columns::seek_first_to_expire(search_, expiry_, definition_, from));
}

Result<bool> SqlCursor::next_expired() { return landed_on_expired(search_.walk_on()); }

Result<bool> SqlCursor::landed_on_expired(int error) {
  if (in_server::is_killed(session_.thd())) return session_.take_error(in_server::kKilled);
  if (error == 0) return expiry_.has_passed(session_.thd());
  if (error == HA_ERR_KEY_NOT_FOUND || error == HA_ERR_END_OF_FILE) return false;
  return take_error(error);
}

std::string_view SqlCursor::place_of_expired() {
  place_ = columns::place_of_row(search_, definition_);
  return place_;
}

std::string_view SqlCursor::place_of_now() {
  if (!expiry_.exists()) return {};
  expiry_.store_now(session_.thd());
  return place_of_expired();
}

std::string_view SqlCursor::row_of_expired() {
  handler* const file = table_->file;
  file->position(table_->record[0]);
  expired_row_.assign(reinterpret_cast<const char*>(file->ref), file->ref_length);
  return expired_row_;
}

Result<std::optional<int64_t>> SqlCursor::expires_at() {
  if (!expiry_.exists()) return std::optional<int64_t>();
  return expiry_.moment(session_.thd());
}

Result<Value> SqlCursor::moment(std::optional<int64_t> seconds) {
  return columns::moment_to_store(expiry_, session_.thd(), seconds, &moment_);
}

// Behind a look at other rows: kFree, and the records and the cursor are as before, or kMovedOn.
Result<SqlCursor::Way> SqlCursor::return_to_updated() {
  handler* const file = table_->file;
  if (const int failure = file->ha_rnd_init(false)) return failed(failure).error();
  auto* const ref = reinterpret_cast<const uchar*>(updated_place_.data());
  const int failure = file->ha_rnd_pos(table_->record[1], const_cast<uchar*>(ref));
  if (in_server::is_gone(failure) || (failure == 0 && !rows_aside_->has_second_as_read()))
    return Way::kMovedOn;
  if (failure != 0) return failed(failure).error();
  rows_aside_->put_back();
  return Way::kFree;
}

}  // namespace hs
