// SPDX-License-Identifier: GPL-2.0-only
// Rows that have expired, and how they give way to new ones.
#include <utility>

#include "mariadb/cursor.h"
#include "mariadb/row_stores.h"
#include "mariadb/session.h"

namespace hs::mariadb {

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
Result<MariaCursor::Way> MariaCursor::give_way_to_update(int error) {
  MY_BITMAP* const reads = table_->read_set;
  MY_BITMAP* const writes = table_->write_set;
  rows_aside_ = std::make_unique<columns::RowsAside>(table_);
  end_index();
  Result<bool> gave_way = give_way(error, updated_place_);
  table_->column_bitmaps_set(reads, writes);
  if (!gave_way) return std::move(gave_way.error());
  return *gave_way ? return_to_updated() : Way::kBlocked;
}

}  // namespace hs::mariadb
