// SPDX-License-Identifier: GPL-2.0-only
// Rows that have expired: what a cursor knows of them, and how the purge walks over them.
#include "columns/expired_rows.h"

#include <algorithm>
#include <utility>

#include "in_server/mappings.h"
#include "mysql/cursor.h"
#include "mysql/engine_errors.h"
#include "mysql/row_stores.h"
#include "mysql/session.h"
#include "sql/sql_foreign_key_constraint.h"

namespace hs::mysql {

Result<void> MysqlCursor::take_expiry() {
  auto expiry =
      columns::noted_expiry(table_, database_, table_name_,
                            in_server::directory().ttl_of_container(database_, table_name_));
  if (!expiry) return std::move(expiry.error());
  expiry_ = *expiry;
  return {};
}

bool MysqlCursor::is_absent() { return expiry_.exists() && expiry_.has_passed(session_.thd()); }

int64_t MysqlCursor::seconds_expired() { return expiry_.seconds_since(session_.thd()); }

Result<bool> MysqlCursor::seek_expired(std::string_view from) {
  // The table that was listed may be another one now.
  if (!expiry_.exists()) return false;
  if (const int error = search_.begin()) return session_.take_error(error);
  return landed_on_expired(columns::seek_first_to_expire(search_, expiry_, definition_, from));
}

Result<bool> MysqlCursor::next_expired() { return landed_on_expired(search_.walk_on()); }

Result<bool> MysqlCursor::landed_on_expired(int error) {
  if (session_.thd()->killed != THD::NOT_KILLED)
    return session_.take_error(HA_ERR_QUERY_INTERRUPTED);
  if (error == 0) return expiry_.has_passed(session_.thd());
  if (error == HA_ERR_KEY_NOT_FOUND || error == HA_ERR_END_OF_FILE) return false;
  return session_.take_error(error);
}

// Not strictly: a row whose generated columns cannot be computed would keep all behind it.
Result<void> MysqlCursor::erase_expired() {
  sql_mode_t& mode = session_.thd()->variables.sql_mode;
  const sql_mode_t usual =
      std::exchange(mode, mode & ~(MODE_STRICT_TRANS_TABLES | MODE_STRICT_ALL_TABLES));
  auto erased = erase();
  mode = usual;
  return erased;
}

std::string_view MysqlCursor::place_of_expired() {
  place_ = columns::place_of_row(search_, definition_);
  return place_;
}

std::string_view MysqlCursor::place_of_now() {
  if (!expiry_.exists()) return {};
  expiry_.store_now(session_.thd());
  return place_of_expired();
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
    } else if (!is_gone(*read)) {
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

// Behind a look at other rows: kFree, and the records and the cursor are as before, or kMovedOn.
Result<MysqlCursor::Way> MysqlCursor::return_to_updated() {
  handler* const file = table_->file;
  if (const int failure = file->ha_rnd_init(false)) return failed(failure).error();
  auto* const ref = reinterpret_cast<const uchar*>(updated_place_.data());
  const int failure = file->ha_rnd_pos(table_->record[1], const_cast<uchar*>(ref));
  if (is_gone(failure) || (failure == 0 && !rows_aside_->has_second_as_read()))
    return Way::kMovedOn;
  if (failure != 0) return failed(failure).error();
  rows_aside_->put_back();
  return Way::kFree;
}

Result<std::optional<int64_t>> MysqlCursor::expires_at() {
  if (!expiry_.exists()) return std::optional<int64_t>();
  return expiry_.moment(session_.thd());
}

Result<Value> MysqlCursor::moment(std::optional<int64_t> seconds) {
  return columns::moment_to_store(expiry_, session_.thd(), seconds, &moment_);
}

}  // namespace hs::mysql
