// SPDX-License-Identifier: GPL-2.0-only
// Rows that have expired, and how they give way to new ones.
#include <algorithm>
#include <utility>

#include "in_server/row_errors.h"
#include "mysql/cursor.h"
#include "mysql/row_stores.h"
#include "mysql/session.h"
#include "sql/sql_foreign_key_constraint.h"

namespace hs::mysql {

bool MysqlCursor::is_absent() { return expiry_.exists() && expiry_.has_passed(session_.thd()); }

int64_t MysqlCursor::seconds_expired() { return expiry_.seconds_since(session_.thd()); }

// Not strictly: a row whose generated columns cannot be computed would keep all behind it.
Result<void> MysqlCursor::erase_expired() {
  sql_mode_t& mode = session_.thd()->variables.sql_mode;
  const sql_mode_t usual =
      std::exchange(mode, mode & ~(MODE_STRICT_TRANS_TABLES | MODE_STRICT_ALL_TABLES));
  auto erased = erase();
  mode = usual;
  return erased;
}

// Does to the children of the row in record[1] what its deletion does. REPLACE itself leaves them where
// the new row has the same key.
Result<void> MysqlCursor::reach_children() {
  THD* const thd = session_.thd();
  if (!use_sql_fk_checks_for_table(thd, table_)) return {};
  const auto swap_records = [this] {
    std::swap_ranges(table_->record[0], table_->record[0] + table_->s->reclength,
                     table_->record[1]);
  };
  swap_records();
  const bool failed_check = check_all_child_fk_ref(thd, table_, enum_fk_dml_type::FK_DELETE);
  swap_records();
  return failed_check ? failed(0) : Result<void>();
}

// After a write that has failed as a duplicate: reads the row in the way into record[1], and
// deletes it if it has expired. False: it has not.
Result<bool> MysqlCursor::give_way(int error) {
  MY_BITMAP* const reads = table_->read_set;
  MY_BITMAP* const writes = table_->write_set;
  if (auto read = read_duplicate(error); !read) return read.error();
  Result<bool> gave_way = erase_if_expired();
  if (gave_way && *gave_way) table_->column_bitmaps_set(reads, writes);
  return gave_way;
}

// The row in record[1], which is in the way. False: it has not expired.
Result<bool> MysqlCursor::erase_if_expired() {
  {
    const OldFields old(table_);
    if (!expiry_.has_passed(session_.thd())) return false;
  }
  if (auto reached = reach_children(); !reached) return std::move(reached.error());
  if (auto erased = erase_replaced(); !erased) return std::move(erased.error());
  return true;
}

// Where the row in record[0] is, which is to be updated. The engine cannot tell of one in record[1].
void MysqlCursor::note_updated_place() {
  if (!expiry_.exists()) return;
  handler* const file = table_->file;
  file->position(table_->record[0]);
  updated_place_.assign(reinterpret_cast<const char*>(file->ref), file->ref_length);
}

// The same after an update. When the way is free, the records are as they were, and the cursor is at
// the row that is to be updated, by its place. kMovedOn: a cascade from the row that was in the way
// has deleted that row or has altered it, so it is not to be written as it was going to be.
Result<MysqlCursor::Way> MysqlCursor::give_way_to_update(int error) {
  MY_BITMAP* const reads = table_->read_set;
  MY_BITMAP* const writes = table_->write_set;
  rows_aside_ = std::make_unique<columns::RowsAside>(table_);
  end_index();
  Result<bool> gave_way = give_way(error);
  table_->column_bitmaps_set(reads, writes);
  if (!gave_way) return std::move(gave_way.error());
  return *gave_way ? return_to_updated() : Way::kBlocked;
}

// The same before the update. What is in the way and has not expired is left to the engine.
Result<MysqlCursor::Way> MysqlCursor::clear_way_for_update() {
  MY_BITMAP* const reads = table_->read_set;
  MY_BITMAP* const writes = table_->write_set;
  bool has_looked = false;
  for (uint number = 0; number < table_->s->keys; ++number) {
    if (!takes_unique_value(number)) continue;
    if (!std::exchange(has_looked, true))
      rows_aside_ = std::make_unique<columns::RowsAside>(table_);
    duplicate_key_ = number;
    Result<int> read = read_by_duplicate_key();
    Result<bool> gave_way(false);
    if (!read) {
      gave_way = std::move(read.error());
    } else if (*read == 0) {
      gave_way = erase_if_expired();
    } else if (!in_server::is_gone(*read)) {
      gave_way = failed(*read).error();
    }
    table_->column_bitmaps_set(reads, writes);
    if (!gave_way) return std::move(gave_way.error());
    rows_aside_->put_back();
  }
  return has_looked ? return_to_updated() : Way::kFree;
}

// Whether the row in record[0] has another value in this unique index than the one in record[1].
bool MysqlCursor::takes_unique_value(uint number) {
  const KEY& key = table_->key_info[number];
  if ((key.flags & HA_NOSAME) == 0) return false;
  const std::span parts(key.key_part, key.user_defined_key_parts);
  if (std::ranges::any_of(parts, [](const KEY_PART_INFO& part) { return part.field->is_null(); }))
    return false;
  std::vector<uchar> before(key.key_length);
  {
    const OldFields old(table_);
    key_copy(before.data(), table_->record[1], &key, 0);
  }
  key_copy(unique_key_.data(), table_->record[0], &key, 0);
  return !std::equal(before.begin(), before.end(), unique_key_.begin());
}

}  // namespace hs::mysql
