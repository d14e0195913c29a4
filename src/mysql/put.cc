// SPDX-License-Identifier: GPL-2.0-only
// Inserts that meet rows with the same value in a unique index: INSERT IGNORE, INSERT … ON
// DUPLICATE KEY UPDATE and REPLACE, in the order in which the server itself makes the calls
// (write_record() in sql_insert.cc).
#include "in_server/row_errors.h"
#include "mysql/cursor.h"
#include "mysql/row_stores.h"
#include "mysql/session.h"
#include "sql/sql_foreign_key_constraint.h"
#include "sql/sql_update.h"

namespace hs::mysql {
namespace {

// Whether no unique index behind this one can have refused the row, too.
bool is_last_unique(const TABLE* table, uint number) {
  while (++number < table->s->keys)
    if (table->key_info[number].flags & HA_NOSAME) return false;
  return true;
}

// Whether triggers see that REPLACE deletes rows.
bool deletes_visibly(const TABLE* table) {
  return table->triggers != nullptr && table->triggers->has_delete_triggers();
}

}  // namespace

// Tells the engine what becomes of duplicates in this statement: InnoDB then locks them at once as
// rows that are to be changed.
void MysqlCursor::begin_puts() {
  if (access_ == engine::Access::kInsert) return;
  handler* const file = table_->file;
  if (access_ == engine::Access::kReplace && !deletes_visibly(table_))
    file->ha_extra(HA_EXTRA_WRITE_CAN_REPLACE);
  if (access_ == engine::Access::kUpsert) file->ha_extra(HA_EXTRA_INSERT_WITH_UPDATE);
  file->ha_extra(HA_EXTRA_IGNORE_DUP_KEY);
}

void MysqlCursor::end_puts() {
  if (access_ == engine::Access::kInsert) return;
  table_->file->ha_extra(HA_EXTRA_NO_IGNORE_DUP_KEY);
  table_->file->ha_extra(HA_EXTRA_WRITE_CANNOT_REPLACE);
}

// Writes the new row in record[0]; rows that have expired give way to it. 0, or the engine's error:
// after that of a duplicate the row in the way is in record[1] if rows expire.
Result<int> MysqlCursor::write_new_row(GeneratedId& id) {
  for (;;) {
    const int error = table_->file->ha_write_row(table_->record[0]);
    id.note();
    if (error == 0 || !expiry_.exists() || !in_server::is_duplicate(error)) [[likely]]
      return error;
    const Result<bool> gave_way = give_way(error);
    if (!gave_way) return gave_way.error();
    if (!*gave_way) return error;
    if (auto checked = check_parents(); !checked) return checked.error();
  }
}

Result<void> MysqlCursor::read_duplicate(int write_error) {
  handler* const file = table_->file;
  duplicate_key_ = file->get_dup_key(write_error);
  if (duplicate_key_ >= table_->s->keys) return failed(HA_ERR_FOUND_DUPP_KEY);
  int error = 0;
  if (file->ha_table_flags() & HA_DUPLICATE_POS) {
    // The row is needed as a whole.
    table_->use_all_columns();
    end_index();
    error = file->ha_rnd_init(false);
    if (error == 0) error = file->ha_rnd_pos(table_->record[1], file->dup_ref);
    end_index();
  } else {
    const Result<int> read = read_by_duplicate_key();
    if (!read) return read.error();
    error = *read;
  }
  return error == 0 ? Result<void>() : failed(error);
}

// Reads the row that has the new one's values in the index `duplicate_key_` into record[1], as a whole. 0,
// or the engine's error.
Result<int> MysqlCursor::read_by_duplicate_key() {
  table_->use_all_columns();
  end_index();
  // The engine may have computed them in the place of the new row's, for its own indexes.
  if (table_->vfield != nullptr) {
    table_->blobs_need_not_keep_old_value();
    if (update_generated_write_fields(table_->write_set, table_)) return failed(0).error();
  }
  key_copy(unique_key_.data(), table_->record[0], &table_->key_info[duplicate_key_], 0);
  return table_->file->ha_index_read_idx_map(table_->record[1], duplicate_key_, unique_key_.data(),
                                             HA_WHOLE_KEY, HA_READ_KEY_EXACT);
}

// None: see try_put().
Result<std::optional<engine::Cursor::Inserted>> MysqlCursor::update_duplicate(
    std::span<const Value> values, std::optional<std::span<const Value>> updates, GeneratedId& id) {
  Field* const counter = table_->next_number_field;
  restore_record(table_, record[1]);
  note_updated_place();
  given_.assign(table_->s->fields, false);
  table_->autoinc_field_has_explicit_non_null_value = false;
  Trigger_chain* const triggers = triggers_before(TRG_EVENT_UPDATE);
  NullableFields nullable(session_.thd(), table_, triggers);
  // A generated id would give the row a new identity each time.
  const Field* const kept = !updates && id.id() != 0 ? counter : nullptr;
  const std::span<const Value> news = updates.value_or(values);
  bool sets_any = false;
  for (size_t i = 0; i < news.size(); ++i) {
    if (columns_[i] == kept) continue;
    if (auto stored = store(columns_[i], news[i]); !stored) return stored.error();
    sets_any = true;
  }
  if (!sets_any) return std::optional(Inserted{has_auto_increment(), 0, 0});
  auto differs = compute_updated_row(triggers, nullable);
  if (!differs) return differs.error();
  bool takes_id = false;
  if (table_->autoinc_field_has_explicit_non_null_value && id.id() != 0) {
    const auto given = static_cast<ulonglong>(counter->val_int());
    takes_id = given == id.id();
    // It would be in the way of the row that it is generated for.
    if (!takes_id && table_->file->auto_inc_interval_for_cur_row.in_range(given)) {
      my_error(ER_AUTO_INCREMENT_CONFLICT, MYF(0));
      return failed(0).error();
    }
  }
  if (!takes_id) id.give_back();
  Inserted updated{has_auto_increment(), 0, 0};
  if (*differs) {
    auto written = write_updated_row();
    if (!written) return written.error();
    if (*written == Written::kNot) return std::optional<Inserted>();
    if (*written == Written::kChanged) updated.outcome = 2;
    table_->file->insert_id_for_cur_row = 0;
  }
  if (auto fired = fire(TRG_EVENT_UPDATE, TRG_ACTION_AFTER, true); !fired) return fired.error();
  id.keep();
  if (counter != nullptr && updated.outcome == 2)
    updated.generated_id = static_cast<uint64_t>(counter->val_int());
  return std::optional(updated);
}

// Removes what is in the way until the row can be written. Where no other row can be in the way and
// nothing else depends on the old one, that one becomes the new one.
Result<engine::Cursor::Inserted> MysqlCursor::replace(RowsInTheWay* in_the_way, GeneratedId& id) {
  handler* const file = table_->file;
  const bool may_update = !table_->s->is_referenced_by_foreign_key() && !deletes_visibly(table_);
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
    if (may_update && is_last_unique(table_, duplicate_key_)) {
      const int failure = file->ha_update_row(table_->record[1], table_->record[0]);
      if (failure != 0 && failure != HA_ERR_RECORD_IS_THE_SAME) return failed(failure).error();
      if (failure == 0) ++replaced;
      break;
    }
    if (auto erased = erase_replaced(); !erased) return erased.error();
    if (auto checked = check_parents(); !checked) return checked.error();
    ++replaced;
  }
  session_.note_change();
  return end_insert(id, replaced);
}

// Erases the row in record[1].
Result<void> MysqlCursor::erase_replaced() {
  THD* const thd = session_.thd();
  if (auto fired = fire(TRG_EVENT_DELETE, TRG_ACTION_BEFORE, true); !fired) return fired;
  if (use_sql_fk_checks_for_table(thd, table_) &&
      check_all_child_fk_ref(thd, table_, enum_fk_dml_type::FK_DELETE_REPLACE))
    return failed(0);
  if (const int error = table_->file->ha_delete_row(table_->record[1])) return failed(error);
  session_.note_change();
  return fire(TRG_EVENT_DELETE, TRG_ACTION_AFTER, true);
}

}  // namespace hs::mysql
