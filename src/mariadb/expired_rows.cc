// SPDX-License-Identifier: GPL-2.0-only
// Rows that have expired: what a cursor knows of them, and how the purge walks over them.
#include <algorithm>

#include "mariadb/cursor.h"
#include "mariadb/session.h"
#include "mariadb/ttl_tables.h"

namespace hs::mariadb {

Result<void> MariaCursor::take_expiry() {
  auto expiry = Expiry::of(table_);
  if (!expiry) {
    ttl_tables().note_error(database_, table_name_, expiry.error().message);
    return std::move(expiry.error());
  }
  expiry_ = *expiry;
  if (!expiry_.exists()) {
    ttl_tables().forget(database_, table_name_);
    return {};
  }
  const LEX_CSTRING& column = expiry_.field()->field_name;
  ttl_tables().note(database_, table_name_, {column.str, column.length}, index_for_purge());
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

Result<bool> MariaCursor::seek_expired() {
  // As after a seek for all rows above, so that what walks on knows where it is.
  op_ = KeyOperator::kGreater;
  backwards_ = false;
  key_length_ = 0;
  conditions_.clear();
  if (auto begun = init_index(); !begun) return begun.error();
  expiry_.store_never();
  KEY& key = table_->key_info[index_];
  key_copy(key_.data(), table_->record[0], &key, key.key_part[0].store_length);
  return landed_on_expired(
      table_->file->ha_index_read_map(table_->record[0], key_.data(), 1, HA_READ_AFTER_KEY));
}

Result<bool> MariaCursor::next_expired() {
  return landed_on_expired(table_->file->ha_index_next(table_->record[0]));
}

Result<bool> MariaCursor::landed_on_expired(int error) {
  const auto is_killed = [thd = session_.thd()] { return thd->killed != NOT_KILLED; };
  while (error == 0 && !is_killed() && is_history())
    error = table_->file->ha_index_next(table_->record[0]);
  if (is_killed()) return session_.take_error(HA_ERR_ABORTED_BY_USER);
  if (error == 0) return expiry_.has_passed(session_.thd());
  if (error == HA_ERR_KEY_NOT_FOUND || error == HA_ERR_END_OF_FILE) return false;
  return session_.take_error(error);
}

// After a write that has failed with `error`: whether a row that has expired was in its way and is
// deleted now, so that it can be made again, from the beginning: the record is that of the row which
// is gone. Otherwise the write's error stands. The cursor has no place in its index any more.
Result<bool> MariaCursor::give_way(int error) {
  // A table's triggers would run a second time for what is made again.
  if (!expiry_.exists() || triggers_ != nullptr) return false;
  if (error != HA_ERR_FOUND_DUPP_KEY && error != HA_ERR_FOUND_DUPP_UNIQUE) return false;
  const uint unique_index = table_->file->get_dup_key(error);
  if (unique_index >= table_->s->keys) return false;
  MY_BITMAP* const reads = table_->read_set;
  MY_BITMAP* const writes = table_->write_set;
  // The log and the indexes need the row as a whole.
  table_->use_all_columns();
  end_index();
  Result<bool> is_gone = false;
  if (const int failure = read_row_in_the_way(unique_index)) {
    is_gone = session_.take_error(failure);
  } else if (expiry_.has_passed(session_.thd())) {
    auto erased = erase();
    is_gone = erased ? Result<bool>(true) : Result<bool>(std::move(erased.error()));
  }
  table_->column_bitmaps_set(reads, writes);
  return is_gone;
}

// Reads the row of a unique index that has the same values there as the record.
int MariaCursor::read_row_in_the_way(uint unique_index) {
  handler* file = table_->file;
  if ((file->ha_table_flags() & HA_DUPLICATE_POS) || file->lookup_errkey != static_cast<uint>(-1)) {
    if (const int error = file->ha_rnd_init(false)) return error;
    const int error = file->ha_rnd_pos(table_->record[0], file->dup_ref);
    file->ha_rnd_end();
    return error;
  }
  if (const int error = file->extra(HA_EXTRA_FLUSH_CACHE)) return error;
  std::vector<uchar> key(table_->s->max_unique_length);
  key_copy(key.data(), table_->record[0], &table_->key_info[unique_index], 0);
  return file->ha_index_read_idx_map(table_->record[0], unique_index, key.data(), HA_WHOLE_KEY,
                                     HA_READ_KEY_EXACT);
}

}  // namespace hs::mariadb
