// SPDX-License-Identifier: GPL-2.0-only
// Rows that have expired: what a cursor knows of them, and how the purge walks over them.
#include <algorithm>
#include <cstring>
#include <utility>

#include "adapter/ttl_tables.h"
#include "mysql/cursor.h"
#include "mysql/engine_errors.h"
#include "mysql/mappings.h"
#include "mysql/row_stores.h"
#include "mysql/session.h"
#include "sql/sql_foreign_key_constraint.h"

namespace hs::mysql {

Result<void> MysqlCursor::take_expiry() {
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
  adapter::ttl_tables().note(database_, table_name_, expiry_.field()->field_name,
                             index_for_purge());
  return {};
}

// The first index that has the rows in the order in which they expire. Empty: there is none.
std::string_view MysqlCursor::index_for_purge() const {
  const TABLE_SHARE* const share = table_->s;
  for (uint i = 0; i < share->keys; ++i) {
    const KEY& key = table_->key_info[i];
    const KEY_PART_INFO& first = key.key_part[0];
    const bool is_whole = (first.key_part_flag & (HA_PART_KEY_SEG | HA_REVERSE_SORT)) == 0 &&
                          first.fieldnr == expiry_.field()->field_index() + 1U;
    const bool is_ordered = (table_->file->index_flags(i, 0, true) & HA_READ_ORDER) != 0;
    if (is_whole && is_ordered && share->keys_in_use.is_set(i)) return key.name;
  }
  return {};
}

bool MysqlCursor::is_absent() { return expiry_.exists() && expiry_.has_passed(session_.thd()); }

int64_t MysqlCursor::seconds_expired() { return expiry_.seconds_since(session_.thd()); }

Result<bool> MysqlCursor::seek_expired(std::string_view from) {
  // The table that was listed may be another one now.
  if (!expiry_.exists()) return false;
  // As after a seek for all rows above, so that what walks on knows where it is.
  op_ = KeyOperator::kGreater;
  backwards_ = false;
  key_length_ = 0;
  conditions_.clear();
  if (auto begun = init_index(); !begun) return begun.error();
  const uint length = table_->key_info[index_].key_part[0].store_length;
  const bool is_known = from.size() == sizeof definition_ + length &&
                        std::memcmp(from.data(), &definition_, sizeof definition_) == 0;
  if (is_known) {
    std::memcpy(key_.data(), from.data() + sizeof definition_, length);
  } else {
    expiry_.store_never();
    key_copy(key_.data(), table_->record[0], &table_->key_info[index_], length);
  }
  return landed_on_expired(table_->file->ha_index_read_map(
      table_->record[0], key_.data(), 1, is_known ? HA_READ_KEY_OR_NEXT : HA_READ_AFTER_KEY));
}

Result<bool> MysqlCursor::next_expired() {
  return landed_on_expired(table_->file->ha_index_next(table_->record[0]));
}

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
  const KEY& key = table_->key_info[index_];
  const uint length = key.key_part[0].store_length;
  key_copy(key_.data(), table_->record[0], &key, length);
  place_.assign(reinterpret_cast<const char*>(&definition_), sizeof definition_);
  place_.append(reinterpret_cast<const char*>(key_.data()), length);
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
  if (!expiry_.exists())
    return Error{ErrorCode::kTableComment, 0, "the table's comment has no ttl="};
  Result<std::optional<std::string>> text = expiry_.text_of(session_.thd(), seconds);
  if (!text) return std::move(text.error());
  moment_ = std::move(*text);
  return moment_ ? Value::of(*moment_) : Value::null();
}

}  // namespace hs::mysql
