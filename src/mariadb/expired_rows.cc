// SPDX-License-Identifier: GPL-2.0-only
// Rows that have expired: what a cursor knows of them, and how the purge walks over them.
#include "columns/expired_rows.h"

#include <utility>

#include "in_server/mappings.h"
#include "mariadb/cursor.h"
#include "mariadb/duplicates.h"
#include "mariadb/row_stores.h"
#include "mariadb/session.h"

namespace hs::mariadb {

Result<void> MariaCursor::take_expiry() {
  auto expiry =
      columns::noted_expiry(table_, database_, table_name_,
                            in_server::directory().ttl_of_container(database_, table_name_));
  if (!expiry) return std::move(expiry.error());
  expiry_ = *expiry;
  return {};
}

Result<bool> MariaCursor::seek_expired(std::string_view from) {
  // The table that was listed may be another one now.
  if (!expiry_.exists()) return false;
  if (const int error = search_.begin()) return session_.take_error(error);
  return landed_on_expired(columns::seek_first_to_expire(search_, expiry_, definition_, from));
}

Result<bool> MariaCursor::next_expired() { return landed_on_expired(search_.walk_on()); }

Result<bool> MariaCursor::landed_on_expired(int error) {
  if (session_.thd()->killed != NOT_KILLED) return session_.take_error(HA_ERR_ABORTED_BY_USER);
  if (error == 0) return expiry_.has_passed(session_.thd());
  if (error == HA_ERR_KEY_NOT_FOUND || error == HA_ERR_END_OF_FILE) return false;
  return session_.take_error(error);
}

std::string_view MariaCursor::place_of_expired() {
  place_ = columns::place_of_row(search_, definition_);
  return place_;
}

std::string_view MariaCursor::place_of_now() {
  if (!expiry_.exists()) return {};
  expiry_.store_now(session_.thd());
  return place_of_expired();
}

bool MariaCursor::pass_over_history() {
  if (!is_history()) return false;
  table_->file->unlock_row();
  return true;
}

// After a write that has failed as a duplicate: reads the row in the way into record[1], and
// deletes it if it has expired. False: it has not. `updated`: see read_duplicate().
Result<bool> MariaCursor::give_way(int error, std::string_view updated) {
  MY_BITMAP* const reads = table_->read_set;
  MY_BITMAP* const writes = table_->write_set;
  if (auto read = read_duplicate(error, updated); !read) return read.error();
  {
    const OldFields old(table_);
    if (!expiry_.has_passed(session_.thd())) return false;
  }
  if (auto checked = check_children(); !checked) return checked.error();
  // InnoDB looks here whether history is made by a delete: then foreign keys do what they do for
  // one.
  uint8& events = table_->pos_in_table_list->trg_event_map;
  const uint8 events_before = std::exchange(events, events | trg2bit(TRG_EVENT_DELETE));
  auto erased = erase_replaced();
  events = events_before;
  table_->column_bitmaps_set(reads, writes);
  if (!erased) return std::move(erased.error());
  return true;
}

// The same after an update. When the way is free, the records are as they were, and the cursor is at
// the row that is to be updated, by its place. kMovedOn: a cascade from the row that was in the way
// has deleted that row or has altered it, so it is not to be written as it was going to be.
Result<MariaCursor::Way> MariaCursor::give_way_to_update(int error, std::string_view updated) {
  MY_BITMAP* const reads = table_->read_set;
  MY_BITMAP* const writes = table_->write_set;
  rows_aside_ = std::make_unique<columns::RowsAside>(table_);
  end_index();
  Result<bool> gave_way = give_way(error, updated);
  table_->column_bitmaps_set(reads, writes);
  if (!gave_way) return std::move(gave_way.error());
  if (!*gave_way) return Way::kBlocked;
  handler* file = table_->file;
  if (const int failure = file->ha_rnd_init(false)) return failed(failure).error();
  auto* const ref = reinterpret_cast<const uchar*>(updated.data());
  const int failure = file->ha_rnd_pos(table_->record[1], const_cast<uchar*>(ref));
  if (is_gone(failure) || (failure == 0 && !rows_aside_->has_second_as_read()))
    return Way::kMovedOn;
  if (failure != 0) return failed(failure).error();
  rows_aside_->put_back();
  return Way::kFree;
}

Result<std::optional<int64_t>> MariaCursor::expires_at() {
  if (!expiry_.exists()) return std::optional<int64_t>();
  return expiry_.moment(session_.thd());
}

Result<Value> MariaCursor::moment(std::optional<int64_t> seconds) {
  return columns::moment_to_store(expiry_, session_.thd(), seconds, &moment_);
}

}  // namespace hs::mariadb
