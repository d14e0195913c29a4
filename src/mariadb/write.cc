// SPDX-License-Identifier: GPL-2.0-only
// Changing rows: what INSERT, UPDATE and DELETE do around the storage engine's calls, in the same
// order, so that a row comes out as SQL would have written it.
#include "columns/sums.h"
#include "in_server/row_errors.h"
#include "mariadb/cursor.h"
#include "mariadb/row_stores.h"
#include "mariadb/session.h"

namespace hs::mariadb {

void MariaCursor::set_write_columns(engine::Access access) {
  table_->column_bitmaps_set_no_signal(&table_->def_read_set, &table_->def_write_set);
  bitmap_clear_all(table_->read_set);
  bitmap_clear_all(table_->write_set);
  if (!engine::inserts(access)) mark_read_columns();
  switch (access) {
    case engine::Access::kRead:
    case engine::Access::kInsert:
    case engine::Access::kInsertIgnore:
    case engine::Access::kUpsert:
    case engine::Access::kReplace:
      break;
    case engine::Access::kUpdate:
      mark_key_columns();
      // Each row may assign other columns, so all opened ones are marked.
      for (Field* field : columns_) bitmap_set_bit(table_->write_set, field->field_index);
      table_->prepare_for_position();
      table_->mark_columns_needed_for_update();
      break;
    case engine::Access::kDelete:
      mark_key_columns();
      table_->prepare_for_position();
      table_->mark_columns_needed_for_delete();
      break;
  }
  table_->file->column_bitmaps_signal();
}

// `addend`: is added to the column instead.
Result<void> MariaCursor::store(Field* field, const Value& value, std::optional<double> addend) {
  THD* thd = session_.thd();
  if (field->vcol_info != nullptr || field->vers_sys_field()) {
    // The server computes it. NULL is ignored; a value is an error in strict mode, ignored in
    // lenient mode, as in SQL.
    if (value.is_null()) return {};
    push_warning_printf(thd, Sql_condition::WARN_LEVEL_WARN,
                        ER_WARNING_NON_DEFAULT_VALUE_FOR_GENERATED_COLUMN,
                        ER_THD(thd, ER_WARNING_NON_DEFAULT_VALUE_FOR_GENERATED_COLUMN),
                        field->field_name.str, table_->s->table_name.str);
  } else if (value.is_null()) {
    if (set_field_to_null_with_conversions(field, false)) return failed(0);
  } else {
    field->set_notnull();
    const Field* const counter = table_->next_number_field;
    if (counter != nullptr && field->field_index == counter->field_index)
      table_->auto_increment_field_not_null = true;
    const int stored = addend ? field->store(field->val_real() + *addend)
                              : field->store(value.data, value.size, columns::value_charset(field));
    if (stored < 0) return failed(0);
    if (moment_.is(value)) moment_.put_right(field);
  }
  if (thd->is_error()) return failed(0);
  if (field->vcol_info == nullptr && !field->vers_sys_field()) field->set_has_explicit_value();
  return {};
}

// Marks the columns that get values: the first `count` of the opened ones, and the first `updated`
// of a row that is there already. Done once for all inserts of a statement that give as many
// values.
Result<void> MariaCursor::mark_insert_columns(size_t count, size_t updated) {
  const std::pair wanted(count, updated);
  if (insert_columns_ == wanted) {
    // put() may have read a row as a whole.
    if (table_->read_set != &table_->def_read_set)
      table_->column_bitmaps_set(&table_->def_read_set, &table_->def_write_set);
    return {};
  }
  insert_columns_.reset();
  set_write_columns(engine::Access::kInsert);
  for (size_t i = 0; i < std::max(count, updated); ++i)
    bitmap_set_bit(table_->write_set, columns_[i]->field_index);
  if (updated > 0 && table_->default_field != nullptr) table_->mark_default_fields_for_write(false);
  // For row().
  for (Field* field : columns_)
    if (field->vcol_info != nullptr) field->register_field_in_read_map();
  if (puts_) table_->prepare_for_position();
  table_->mark_columns_needed_for_insert();
  if (access_ == engine::Access::kReplace) log_whole_rows();
  THD* thd = session_.thd();
  // A BEFORE trigger may give the missing ones.
  const bool checks_rows = table_->field != table_->field_to_fill();
  if ((!checks_rows && check_that_all_fields_are_given_values(thd, table_, &list_)) ||
      table_->validate_default_values_of_unset_fields(thd))
    return failed(0);
  insert_columns_ = wanted;
  return {};
}

// Fills the record with a new row. `updated`: see mark_insert_columns().
Result<void> MariaCursor::make_new_row(std::span<const Value> values, size_t updated) {
  table_->reset_default_fields();
  if (auto marked = mark_insert_columns(values.size(), updated); !marked) return marked;

  restore_default_record_for_insert(table_);
  for (size_t i = 0; i < values.size(); ++i)
    if (auto stored = store(to_fill(columns_[i]), values[i]); !stored) return stored;

  if (table_->default_field != nullptr && table_->update_default_fields(false)) return failed(0);
  if (table_->versioned()) table_->vers_update_fields();
  if (auto fired = fire_before(TRG_EVENT_INSERT); !fired) return fired;
  if ((table_->vfield != nullptr &&
       table_->update_virtual_fields(table_->file, VCOL_UPDATE_FOR_WRITE)) ||
      table_->verify_constraints(false) != VIEW_CHECK_OK)
    return failed(0);
  return {};
}

// Whether a new value in the column makes history.
bool MariaCursor::is_versioned(const Field* field) const {
  return table_->versioned() && !(field->flags & VERS_UPDATE_UNVERSIONED_FLAG);
}

Result<engine::Cursor::Updated> MariaCursor::update(std::span<const Assignment> assignments) {
  THD* thd = session_.thd();
  StrictStores strict(thd, CHECK_FIELD_WARN);

  table_->reset_default_fields();
  store_record(table_, record[1]);
  bool makes_history = false;
  for (const Assignment& assignment : assignments) {
    Field* field = columns_[assignment.column];
    if (assignment.is_sum)
      if (auto refused = columns::refusal_of_sum(thd, field, assignment.value)) return *refused;
    if (auto stored = store(to_fill(field), assignment.value, assignment.addend); !stored)
      return stored.error();
    makes_history |= is_versioned(field);
  }
  if (auto computed = compute_updated_row(makes_history); !computed) return computed.error();
  bool differs = !records_are_comparable(table_) || compare_record(table_);
  if (differs) {
    if (table_->verify_constraints(false) != VIEW_CHECK_OK) return failed(0).error();
    auto written = write_updated_row(makes_history);
    if (!written) return written.error();
    if (*written == Written::kNot) return look_again();
    differs = *written == Written::kChanged;
  }
  if (auto ended = end_update(differs, true); !ended) return ended.error();
  return Updated::kDone;
}

// `differs`: the row has changed. `fires`: AFTER UPDATE triggers run.
Result<void> MariaCursor::end_update(bool differs, bool fires) {
  if (fires)
    if (auto fired = fire(TRG_EVENT_UPDATE, TRG_ACTION_AFTER); !fired) return fired;
  // A row that stays as it is keeps its ON UPDATE timestamp, too.
  if (!differs) restore_record(table_, record[1]);
  return {};
}

// After new values were stored in record[0]: what the server itself computes of an updated row.
Result<void> MariaCursor::compute_updated_row(bool makes_history) {
  if (table_->default_field != nullptr) table_->evaluate_update_default_function();
  if (makes_history) table_->vers_update_fields();
  if (auto fired = fire_before(TRG_EVENT_UPDATE); !fired) return fired;
  if (table_->vfield != nullptr &&
      table_->update_virtual_fields(table_->file, VCOL_UPDATE_FOR_WRITE))
    return failed(0);
  return {};
}

// Writes record[0] over the row in record[1]; rows that have expired give way to it. kSame: the
// engine finds no difference. kNot: the row is gone, or another one than in record[1].
Result<MariaCursor::Written> MariaCursor::write_updated_row(bool makes_history) {
  if (auto checked = check_children(); !checked) return checked.error();
  handler* file = table_->file;
  // A partitioned table forgets during the update where the row is.
  if (expiry_.exists()) {
    file->position(table_->record[1]);
    updated_place_.assign(reinterpret_cast<const char*>(file->ref), file->ref_length);
  }
  int error = 0;
  for (;;) {
    // Tells an engine that keeps the history itself. In a new TABLE it is on (TABLE::init).
    if (table_->versioned()) table_->vers_write = makes_history;
    file->lookup_errkey = kNoKey;  // see write_new_row()
    error = file->ha_update_row(table_->record[1], table_->record[0]);
    if (table_->versioned()) table_->vers_write = true;
    if (error == HA_ERR_RECORD_IS_THE_SAME) return Written::kSame;
    if (!in_server::is_duplicate(error) || !expiry_.exists()) break;
    const Result<Way> way = give_way_to_update(error);
    if (!way) return way.error();
    if (*way == Way::kMovedOn) return Written::kNot;
    if (*way == Way::kBlocked) break;
  }
  if (error == 0 && makes_history && table_->versioned(VERS_TIMESTAMP)) {
    if (auto kept = keep_past_row(); !kept) return kept.error();
  }
  if (error != 0) return failed(error).error();
  session_.note_change();
  return Written::kChanged;
}

// Writes the row of the past of an updated one, which is in record[1], where the new row is.
Result<void> MariaCursor::keep_past_row() {
  store_record(table_, record[2]);
  const int error = vers_insert_history_row(table_);
  restore_record(table_, record[2]);
  return error == 0 ? Result<void>() : failed(error);
}

// A foreign key that refers to this table may be added while the table is open: the server does not
// wait for the parent table. InnoDB would then cascade into a table that is not open, which ends
// the server. The row is locked by now, so no other row can begin to refer to it before it is
// changed.
Result<void> MariaCursor::check_children() {
  const bool complete =
      triggers_ != nullptr ? triggers_->is_complete() : children_.complete(session_.thd(), table_);
  if (complete) return {};
  lacks_children_ = true;
  return session_.must_reopen();
}

Result<void> MariaCursor::erase() {
  if (auto checked = check_children(); !checked) return checked;
  if (auto fired = fire(TRG_EVENT_DELETE, TRG_ACTION_BEFORE); !fired) return fired;
  if (table_->versioned(VERS_TIMESTAMP)) {
    if (auto erased = erase_versioned(); !erased) return erased;
  } else if (const int error = table_->file->ha_delete_row(table_->record[0])) {
    return failed(error);
  }
  session_.note_change();
  return fire(TRG_EVENT_DELETE, TRG_ACTION_AFTER);
}

// A row of a versioned table becomes history: its end is set.
Result<void> MariaCursor::erase_versioned() {
  store_record(table_, record[1]);
  table_->vers_update_end();
  const Field* start = table_->vers_start_field();
  const Field* end = table_->vers_end_field();
  // A row leaves no history if it began at this very moment, or if its history of this moment
  // exists already.
  int error = HA_ERR_FOUND_DUPP_KEY;
  if (start->cmp(start->ptr, end->ptr) <= 0)
    error = table_->file->ha_update_row(table_->record[1], table_->record[0]);
  if (error == HA_ERR_FOUND_DUPP_KEY || error == HA_ERR_FOUND_DUPP_UNIQUE ||
      error == HA_ERR_FOREIGN_DUPLICATE_KEY)
    error = table_->file->ha_delete_row(table_->record[1]);
  if (error != 0) return failed(error);
  return {};
}

}  // namespace hs::mariadb
