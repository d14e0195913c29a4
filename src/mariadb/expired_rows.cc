// SPDX-License-Identifier: GPL-2.0-only
// Rows that have expired: what a cursor knows of them, and how the purge walks over them.
#include <utility>

#include "adapter/ttl_tables.h"
#include "mariadb/cursor.h"
#include "mariadb/duplicates.h"
#include "mariadb/mappings.h"
#include "mariadb/row_stores.h"
#include "mariadb/session.h"

namespace hs::mariadb {

Result<void> MariaCursor::take_expiry() {
  const std::string of_container = directory().ttl_of_container(database_, table_name_);
  auto expiry = columns::Expiry::of(table_, of_container);
  if (!expiry) {
    adapter::ttl_tables().note_error(database_, table_name_, expiry.error().message);
    return std::move(expiry.error());
  }
  expiry_ = *expiry;
  // What only a container says deletes no rows.
  if (!expiry_.is_of_comment()) {
    adapter::ttl_tables().forget(database_, table_name_);
    return {};
  }
  const LEX_CSTRING& column = expiry_.field()->field_name;
  adapter::ttl_tables().note(database_, table_name_, {column.str, column.length},
                             index_for_purge());
  return {};
}

// The first index that has the rows in the order in which they expire. Empty: there is none.
std::string_view MariaCursor::index_for_purge() const {
  const TABLE_SHARE* share = table_->s;
  for (uint i = 0; i < share->keys; ++i) {
    const KEY& key = table_->key_info[i];
    const KEY_PART_INFO& first = key.key_part[0];
    const bool is_whole = (first.key_part_flag & (HA_PART_KEY_SEG | HA_REVERSE_SORT)) == 0 &&
                          first.fieldnr == static_cast<uint>(expiry_.field()->field_index) + 1;
    const bool is_ordered = (table_->file->index_flags(i, 0, true) & HA_READ_ORDER) != 0;
    if (is_whole && is_ordered && share->keys_in_use.is_set(i))
      return {key.name.str, key.name.length};
  }
  return {};
}

Result<bool> MariaCursor::seek_expired(std::string_view from) {
  // The table that was listed may be another one now.
  if (!expiry_.exists()) return false;
  // As after a seek for all rows above, so that what walks on knows where it is.
  op_ = KeyOperator::kGreater;
  backwards_ = false;
  key_length_ = 0;
  conditions_.clear();
  if (auto begun = init_index(); !begun) return begun.error();
  const size_t size = table_->s->tabledef_version.length;
  const uint length = table_->key_info[index_].key_part[0].store_length;
  const bool is_known = from.size() == size + length && from.starts_with(version());
  if (is_known) {
    memcpy(key_.data(), from.data() + size, length);
  } else {
    expiry_.store_never();
    key_copy(key_.data(), table_->record[0], &table_->key_info[index_], length);
  }
  return landed_on_expired(table_->file->ha_index_read_map(
      table_->record[0], key_.data(), 1, is_known ? HA_READ_KEY_OR_NEXT : HA_READ_AFTER_KEY));
}

Result<bool> MariaCursor::next_expired() {
  return landed_on_expired(table_->file->ha_index_next(table_->record[0]));
}

Result<bool> MariaCursor::landed_on_expired(int error) {
  if (session_.thd()->killed != NOT_KILLED) return session_.take_error(HA_ERR_ABORTED_BY_USER);
  if (error == 0) return expiry_.has_passed(session_.thd());
  if (error == HA_ERR_KEY_NOT_FOUND || error == HA_ERR_END_OF_FILE) return false;
  return session_.take_error(error);
}

std::string_view MariaCursor::version() const {
  const LEX_CUSTRING& version = table_->s->tabledef_version;
  return {reinterpret_cast<const char*>(version.str), version.length};
}

std::string_view MariaCursor::place_of_expired() {
  KEY& key = table_->key_info[index_];
  const uint length = key.key_part[0].store_length;
  key_copy(key_.data(), table_->record[0], &key, length);
  place_.assign(version());
  place_.append(reinterpret_cast<const char*>(key_.data()), length);
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
  if (!expiry_.exists())
    return Error{ErrorCode::kTableComment, 0, "the table's comment has no ttl="};
  Result<std::optional<std::string>> text = expiry_.text_of(session_.thd(), seconds);
  if (!text) return std::move(text.error());
  moment_ = std::move(*text);
  return moment_ ? Value::of(*moment_) : Value::null();
}

}  // namespace hs::mariadb
