// SPDX-License-Identifier: GPL-2.0-only
// Inserts that meet rows with the same value in a unique index: INSERT IGNORE, INSERT … ON
// DUPLICATE KEY UPDATE and REPLACE, in the order in which the server itself makes the calls
// (sql_insert.cc).
#include "in_server/row_errors.h"
#include "mariadb/cursor.h"
#include "mariadb/release.h"
#include "mariadb/row_stores.h"
#include "mariadb/session.h"

namespace hs::mariadb {
namespace {

// With BIGINT UNSIGNED the server raises the same error for it as for a counter whose lock is not
// granted, and only the latter is worth another try.
bool is_counter_at_end(handler* file) {
  return file->info(HA_STATUS_AUTO) == 0 && file->stats.auto_increment_value == ULONGLONG_MAX;
}

uint last_unique_of(const TABLE* table, const KEY* keys) {
  for (uint key = table->s->keys; key > 0; --key)
    if (keys[key - 1].flags & HA_NOSAME) return key - 1;
  return MAX_KEY;
}

// The unique index that is checked last. When a row is found by that one, no other row can be in
// the way. MAX_KEY: it is not known which one that is. Only the share knows of long unique columns.
uint last_unique_key(const TABLE* table) {
  if (table->s->key_info == nullptr) return MAX_KEY;
  if (table->file->ha_table_flags() & HA_DUPLICATE_KEY_NOT_IN_ORDER) return MAX_KEY;
  return (table->key_info[0].flags & HA_NOSAME) ? last_unique_of(table, table->key_info)
                                                : last_unique_of(table, table->s->key_info);
}

}  // namespace

// False: the server has no such statement for the table, and the error is raised.
bool MariaCursor::allows_puts() {
  if (access_ != engine::Access::kUpsert && access_ != engine::Access::kReplace) return true;
  return check_duplic_insert_without_overlaps(session_.thd(), table_, DUP_UPDATE) == 0;
}

// Tells the engine what becomes of duplicates in this statement: InnoDB then locks them at once as
// rows that are to be changed. False: it failed, and the error is raised.
bool MariaCursor::begin_puts() {
  if (access_ == engine::Access::kInsert) return true;
  handler* file = table_->file;
  puts_ = true;
  if (access_ == engine::Access::kReplace) file->extra(HA_EXTRA_WRITE_CAN_REPLACE);
  if (access_ == engine::Access::kUpsert) file->extra(HA_EXTRA_INSERT_WITH_UPDATE);
  file->extra(HA_EXTRA_IGNORE_DUP_KEY);
  return !(file->ha_table_flags() & HA_DUPLICATE_POS) || !file->ha_rnd_init_with_error(false);
}

// With binlog_row_image=MINIMAL or NOBLOB the server logs the columns for which values were given.
// When a row is replaced in its place, the others change, too, and a replica must know it. It must
// also know the virtual columns that an index has, since it does not compute them itself.
void MariaCursor::log_whole_rows() {
  if (!table_->file->row_logging || table_->rpl_write_set == table_->read_set) return;
  MY_BITMAP& logged = table_->def_rpl_write_set;
  bitmap_set_all(&logged);
  for (Field** field = table_->field; *field != nullptr; ++field) {
    const uint number = (*field)->field_index;
    const bool is_computed = (*field)->stored_in_db() || bitmap_is_set(table_->write_set, number);
    if (!is_computed) bitmap_clear_bit(&logged, number);
  }
  table_->rpl_write_set = &logged;
}

void MariaCursor::end_statement() {
  end_index();
  rows_aside_.reset();
  if (!std::exchange(puts_, false)) return;
  table_->file->extra(HA_EXTRA_NO_IGNORE_DUP_KEY);
  table_->file->extra(HA_EXTRA_WRITE_CANNOT_REPLACE);
}

// Writes the new row in record[0]; rows that have expired give way to it. 0, or the engine's error:
// after that of a duplicate the row in the way is in record[1] if rows expire.
Result<int> MariaCursor::write_new_row(GeneratedId& id) {
  for (;;) {
    // With READ COMMITTED the server checks long unique columns only after the engine has written
    // the row. It then does not forget the one that an earlier row was a duplicate in.
    table_->file->lookup_errkey = kNoKey;
    const int error = table_->file->ha_write_row(table_->record[0]);
    id.note();
    if (error == HA_ERR_AUTOINC_READ_FAILED && is_counter_at_end(table_->file))
      return HA_ERR_AUTOINC_ERANGE;
    if (error == 0 || !expiry_.exists() || !in_server::is_duplicate(error)) [[likely]]
      return error;
    const Result<bool> gave_way = give_way(error, {});
    if (!gave_way) return gave_way.error();
    if (!*gave_way) return error;
  }
}

// Reads the row that a failed write was a duplicate of into record[1]. `updated`: the place of the
// row that was to be updated, which is not in its own way; empty: the row was to be new.
Result<void> MariaCursor::read_duplicate(int write_error, std::string_view updated) {
  duplicate_key_ = table_->file->get_dup_key(write_error);
  if (duplicate_key_ >= table_->s->keys) return failed(HA_ERR_FOUND_DUPP_KEY);
  // The row is needed as a whole.
  table_->use_all_columns();
  const bool is_overlap = table_->key_info[duplicate_key_].without_overlaps &&
                          table_->file->lookup_errkey == duplicate_key_;
  const int error = is_overlap ? read_overlapping_row(duplicate_key_, table_->record[1], updated)
                               : read_row_of_key(duplicate_key_, table_->record[1]);
  if (error != 0) return failed(error);
  if (table_->vfield == nullptr) return {};
  const OldFields old(table_);
  if (table_->update_virtual_fields(table_->file, VCOL_UPDATE_FOR_REPLACE)) return failed(0);
  return {};
}

// Reads the row that has the values of record[0] in the unique index.
int MariaCursor::read_row_of_key(uint key, uchar* record) {
  handler* file = table_->file;
  if ((file->ha_table_flags() & HA_DUPLICATE_POS) || file->lookup_errkey != kNoKey) {
    const bool begins = file->inited == handler::NONE;
    if (begins)
      if (const int error = file->ha_rnd_init(false)) return error;
    const int error = file->ha_rnd_pos(record, file->dup_ref);
    if (begins) file->ha_rnd_end();
    return error;
  }
  end_index();
  if (const int error = file->extra(HA_EXTRA_FLUSH_CACHE)) return error;
  key_copy(unique_key_.data(), table_->record[0], &table_->key_info[key], 0);
  return file->ha_index_read_idx_map(record, key, unique_key_.data(), HA_WHOLE_KEY,
                                     HA_READ_KEY_EXACT);
}

// Reads the first row whose period overlaps that of record[0]. The server says which index has
// refused a period, and not where the row in the way is, so this looks for it as the server did
// (handler::ha_check_overlaps).
int MariaCursor::read_overlapping_row(uint key, uchar* record, std::string_view updated) {
  handler* file = table_->file;
  const KEY& index = table_->key_info[key];
  // Its last two parts are the end of the period and the beginning.
  const uint parts = index.user_defined_key_parts;
  const uint length = index.key_part[parts - 1].length;
  uchar* const end = unique_key_.data() + index.key_length - 2 * static_cast<size_t>(length);
  key_copy(unique_key_.data(), table_->record[0], &index, 0);
  memcpy(end, end + length, length);
  end_index();
  if (const int error = file->ha_index_init(key, true)) return error;
  const key_part_map all_but_the_beginning = (key_part_map{1} << (parts - 1)) - 1;
  int error =
      file->ha_index_read_map(record, unique_key_.data(), all_but_the_beginning, HA_READ_AFTER_KEY);
  if (error == 0 && !updated.empty()) {
    file->position(record);
    if (memcmp(file->ref, updated.data(), updated.size()) == 0) error = file->ha_index_next(record);
  }
  end_index();
  if (error == 0 && !TABLE::check_period_overlaps(index, table_->record[0], record))
    error = HA_ERR_FOUND_DUPP_KEY;
  return error;
}

// None: see try_put().
Result<std::optional<engine::Cursor::Inserted>> MariaCursor::update_duplicate(
    std::span<const Value> values, std::optional<std::span<const Value>> updates, GeneratedId& id) {
  handler* file = table_->file;
  Field* const counter = table_->next_number_field;
  restore_record(table_, record[1]);
  table_->reset_default_fields();
  // A generated id would give the row a new identity each time.
  const Field* const kept = !updates && id.id() != 0 ? counter : nullptr;
  const std::span<const Value> news = updates.value_or(values);
  bool sets_any = false;
  bool sets_id = false;
  bool makes_history = false;
  for (size_t i = 0; i < news.size(); ++i) {
    Field* const field = columns_[i];
    if (field == kept) continue;
    if (auto stored = store(to_fill(field), news[i]); !stored) return stored.error();
    sets_any = true;
    sets_id |= field == counter;
    makes_history |= is_versioned(field);
  }
  // SQL has no such statement: nothing is set, so no row of a table is changed, whatever it keeps
  // of the past.
  if (!sets_any) return std::optional(Inserted{has_auto_increment(), 0, 0});
  if (auto computed = compute_updated_row(makes_history); !computed) return computed.error();
  // As in SQL a row that stays as it is must meet the constraints, too.
  const bool may_differ = !records_are_comparable(table_) || compare_record(table_);
  if (table_->verify_constraints(false) != VIEW_CHECK_OK) return failed(0).error();
  id.give_back();
  Inserted updated{has_auto_increment(), 0, 0};
  if (may_differ) {
    auto written = write_updated_row(makes_history);
    if (!written) return written.error();
    if (*written == Written::kNot) return std::optional<Inserted>();
    if (*written == Written::kChanged) updated.outcome = 2;
    file->insert_id_for_cur_row = 0;
  }
  const bool fires = may_differ || release::upsert_of_same_fires();
  if (auto ended = end_update(updated.outcome == 2, fires); !ended) return ended.error();
  id.keep();
  if (counter != nullptr && updated.outcome == 2)
    updated.generated_id = static_cast<uint64_t>(counter->val_int());
  if (sets_id) {
    file->adjust_next_insert_id_after_explicit_value(static_cast<ulonglong>(counter->val_int()));
  } else if (may_differ && id.id() != 0) {
    file->restore_auto_increment(id.id());
  }
  return std::optional(updated);
}

// Removes what is in the way until the row can be written. Where no other row can be in the way and
// nothing else depends on the old one, that one becomes the new one.
Result<engine::Cursor::Inserted> MariaCursor::replace(RowsInTheWay* in_the_way, GeneratedId& id) {
  handler* file = table_->file;
  const uint last_key = last_unique_key(table_);
  const bool deletes_visibly =
      table_->triggers != nullptr && table_->triggers->has_delete_triggers();
  const bool may_update =
      !file->referenced_by_foreign_key() && !deletes_visibly && release::may_become_new(table_);
  uint64_t replaced = 0;
  for (;;) {
    const Result<int> error = write_new_row(id);
    if (!error) return error.error();
    if (*error == 0) break;
    if (!in_server::is_duplicate(*error)) return failed(*error).error();
    // When all ids are used up, the last row must not be replaced again and again.
    if (table_->next_number_field != nullptr && id.id() > 0 &&
        file->get_dup_key(*error) == table_->s->next_number_index)
      return failed(*error).error();
    if (auto met = meet_duplicate(*error, in_the_way); !met) return met.error();
    if (auto checked = check_children(); !checked) return checked.error();
    if (may_update && duplicate_key_ == last_key) {
      const int failure = file->ha_update_row(table_->record[1], table_->record[0]);
      if (failure != 0 && failure != HA_ERR_RECORD_IS_THE_SAME) return failed(failure).error();
      if (failure != 0) break;
      ++replaced;
      if (!table_->versioned()) break;
      if (auto kept = keep_past_row(); !kept) return kept.error();
      id.note();
      ++replaced;  // the row of the past counts, as in SQL
      break;
    }
    if (auto erased = erase_replaced(); !erased) return erased.error();
    ++replaced;
  }
  session_.note_change();
  return end_insert(id, replaced);
}

// Erases the row in record[1].
Result<void> MariaCursor::erase_replaced() {
  if (auto fired = fire(TRG_EVENT_DELETE, TRG_ACTION_BEFORE, true); !fired) return fired;
  if (const int error = table_->delete_row<true>(table_->versioned(VERS_TIMESTAMP)))
    return failed(error);
  session_.note_change();
  return fire(TRG_EVENT_DELETE, TRG_ACTION_AFTER, true);
}

}  // namespace hs::mariadb
