// SPDX-License-Identifier: GPL-2.0-only
// Changing rows: what INSERT, UPDATE and DELETE do around the storage engine's calls, in the same
// order (sql_insert.cc, sql_update.cc, sql_delete.cc), so that a row comes out as SQL would have
// written it.
#include <algorithm>

#include "columns/sums.h"
#include "in_server/row_errors.h"
#include "mysql/cursor.h"
#include "mysql/row_stores.h"
#include "mysql/session.h"
#include "sql/sql_foreign_key_constraint.h"
#include "sql/sql_insert.h"
#include "sql/sql_update.h"

namespace hs::mysql {
namespace {

bool has_insert_function(const Field* field) {
  return field->has_insert_default_datetime_value_expression() ||
         field->has_insert_default_general_value_expression();
}

// Computes the columns that are not in `given`: what a new row gets, or a row that is changed.
bool set_function_defaults(TABLE* table, bool is_new, const std::vector<bool>& given) {
  for (Field** field = table->field; *field != nullptr; ++field) {
    if (given[(*field)->field_index()]) continue;
    if (is_new && has_insert_function(*field)) (*field)->evaluate_insert_default_function();
    if (!is_new && (*field)->has_update_default_datetime_value_expression())
      (*field)->evaluate_update_default_function();
  }
  return table->in_use->is_error();
}

}  // namespace

// The default values of a new row. Those that name the client name the account. False: as below.
bool MysqlCursor::compute_defaults() {
  std::optional<ActingAs> acting;
  if (names_client_) acting.emplace(session_.thd(), session_.account());
  return !set_function_defaults(table_, true, given_);
}

// `keeps_old`: a BLOB that the row in record[1] has stays, since the log and the engine want it.
// False: it failed, and the error is raised.
bool MysqlCursor::compute_generated(bool keeps_old) {
  if (!table_->has_gcol()) return true;
  if (!keeps_old) table_->blobs_need_not_keep_old_value();
  return !update_generated_write_fields(table_->write_set, table_);
}

// False: the server could not read the table's triggers, and the error is raised.
bool MysqlCursor::set_write_columns(engine::Access access) {
  THD* const thd = session_.thd();
  table_->clear_column_bitmaps();
  mark_read_columns();
  if (access != engine::Access::kRead) {
    mark_key_columns();
    // Foreign keys are looked up by their columns.
    if (!undoes_rows_) bitmap_set_all(table_->read_set);
    table_->prepare_for_position();
  }
  if (access == engine::Access::kUpdate) {
    // Each row may assign other columns, so all opened ones are marked.
    for (Field* field : columns_) table_->mark_column_used(field, MARK_COLUMNS_WRITE);
    for (Field** field = table_->field; *field != nullptr; ++field)
      if ((*field)->has_update_default_datetime_value_expression())
        bitmap_set_bit(table_->write_set, (*field)->field_index());
    if (!mark_trigger_columns(TRG_EVENT_UPDATE)) return false;
    table_->mark_columns_needed_for_update(thd, true);
  }
  if (access == engine::Access::kDelete) table_->mark_columns_needed_for_delete(thd);
  table_->file->column_bitmaps_signal();
  return !thd->is_error();
}

// `addend`: is added to the column instead.
Result<void> MysqlCursor::store(Field* field, const Value& value, std::optional<double> addend) {
  THD* const thd = session_.thd();
  if (field->is_gcol()) {
    // The server computes it. NULL is ignored.
    if (value.is_null()) return {};
    my_error(ER_NON_DEFAULT_VALUE_FOR_GENERATED_COLUMN, MYF(0), field->field_name,
             table_->s->table_name.str);
  } else if (value.is_null()) {
    (void)set_field_to_null_with_conversions(field, false);
  } else {
    field->set_notnull();
    if (field == table_->next_number_field)
      table_->autoinc_field_has_explicit_non_null_value = true;
    (void)(addend ? field->store(field->val_real() + *addend)
                  : field->store(value.data, value.size, columns::value_charset(field)));
    if (moment_.is(value)) moment_.put_right(field);
  }
  if (thd->is_error()) return failed(0);
  given_[field->field_index()] = true;
  return {};
}

// Marks the columns that get values: the first `count` of the opened ones, and the first `updated`
// of a row that is there already. Done once for all inserts of a statement that give as many
// values.
Result<void> MysqlCursor::mark_insert_columns(size_t count, size_t updated) {
  const std::pair wanted(count, updated);
  if (insert_columns_ == wanted) {
    // put() may have read a row as a whole.
    if (table_->write_set != &table_->def_write_set)
      table_->column_bitmaps_set(&table_->def_read_set, &table_->def_write_set);
    return {};
  }
  insert_columns_.reset();
  table_->clear_column_bitmaps();
  for (size_t i = 0; i < std::max(count, updated); ++i)
    table_->mark_column_used(columns_[i], MARK_COLUMNS_WRITE);
  for (Field** field = table_->field; *field != nullptr; ++field) {
    const bool is_computed =
        has_insert_function(*field) ||
        (updated > 0 && (*field)->has_update_default_datetime_value_expression());
    if (is_computed) bitmap_set_bit(table_->write_set, (*field)->field_index());
  }
  // For row().
  for (Field* field : columns_)
    if (field->is_gcol()) table_->mark_column_used(field, MARK_COLUMNS_READ);
  if (access_ != engine::Access::kInsert) table_->prepare_for_position();
  if (!mark_trigger_columns(TRG_EVENT_INSERT)) return failed(0);
  prepare_triggers_for_insert_stmt(session_.thd(), table_);
  if (access_ == engine::Access::kReplace) bitmap_set_all(table_->write_set);
  table_->file->column_bitmaps_signal();
  insert_columns_ = wanted;
  return {};
}

// Fills the record with a new row. `updated`: see mark_insert_columns().
Result<void> MysqlCursor::make_new_row(std::span<const Value> values, size_t updated) {
  THD* const thd = session_.thd();
  if (auto marked = mark_insert_columns(values.size(), updated); !marked) return marked;
  restore_record(table_, s->default_values);
  given_.assign(table_->s->fields, false);
  // The server tells each trouble with a column once in a statement, and raises it as an error then.
  for (Field** field = table_->field; *field != nullptr; ++field) (*field)->reset_warnings();
  if (validate_default_values_of_unset_fields(thd, table_)) return failed(0);
  Trigger_chain* const triggers = triggers_before(TRG_EVENT_INSERT);
  auto filled = triggers == nullptr ? fill_new_row(values) : fill_new_row_for(*triggers, values);
  if (!filled) return filled;
  if (check_that_all_fields_are_given_values(thd, table_, &*list_)) return failed(0);
  return check_new_row();
}

Result<void> MysqlCursor::fill_new_row(std::span<const Value> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (auto stored = store(columns_[i], values[i]); !stored) return stored;
    bitmap_set_bit(table_->fields_set_during_insert, columns_[i]->field_index());
  }
  if (!compute_defaults() || !compute_generated(false) ||
      check_record(session_.thd(), table_->field))
    return failed(0);
  return {};
}

// The same, with triggers that run before the row is written. The defaults are computed first there, as
// in SQL: they do not see the row's values.
Result<void> MysqlCursor::fill_new_row_for(Trigger_chain& triggers, std::span<const Value> values) {
  NullableFields nullable(session_.thd(), table_, &triggers);
  for (size_t i = 0; i < values.size(); ++i) given_[columns_[i]->field_index()] = true;
  if (!compute_defaults() || !compute_generated(false)) return failed(0);
  for (size_t i = 0; i < values.size(); ++i) {
    if (auto stored = store(columns_[i], values[i]); !stored) return stored;
    bitmap_set_bit(table_->fields_set_during_insert, columns_[i]->field_index());
  }
  if (!compute_generated(true)) return failed(0);
  for (Field** field = table_->field; *field != nullptr; ++field)
    if ((*field)->is_flag_set(NO_DEFAULT_VALUE_FLAG) && !given_[(*field)->field_index()])
      (*field)->set_tmp_null();
  if (auto fired = fire_before(TRG_EVENT_INSERT, triggers); !fired) return fired;
  nullable.end();
  return check_nulls();
}

// The constraints of a new row, those that the server checks itself.
Result<void> MysqlCursor::check_new_row() {
  THD* const thd = session_.thd();
  if (invoke_table_check_constraints(thd, table_)) return failed(0);
  return check_parents();
}

// The new row's foreign keys. Also behind the deletion of another row: its cascade may have reached them.
Result<void> MysqlCursor::check_parents() {
  THD* const thd = session_.thd();
  const bool failed_check = use_sql_fk_checks_for_table(thd, table_) &&
                            check_all_parent_fk_ref(thd, table_, enum_fk_dml_type::FK_INSERT);
  return failed_check ? failed(0) : Result<void>();
}

Result<engine::Cursor::Updated> MysqlCursor::update(std::span<const Assignment> assignments) {
  THD* const thd = session_.thd();
  const StrictStores strict(thd, CHECK_FIELD_WARN);
  if (auto computed = compute_old_row(); !computed) return computed.error();
  store_record(table_, record[1]);
  note_updated_place();
  given_.assign(table_->s->fields, false);
  Trigger_chain* const triggers = triggers_before(TRG_EVENT_UPDATE);
  NullableFields nullable(thd, table_, triggers);
  for (const Assignment& assignment : assignments) {
    Field* const field = columns_[assignment.column];
    if (assignment.is_sum)
      if (auto refused = columns::refusal_of_sum(thd, field, assignment.value)) return *refused;
    if (auto stored = store(field, assignment.value, assignment.addend); !stored)
      return stored.error();
  }
  auto differs = compute_updated_row(triggers, nullable);
  if (!differs) return differs.error();
  if (*differs) {
    auto written = write_updated_row();
    if (!written) return written.error();
    if (*written == Written::kNot) return look_again();
  }
  if (auto fired = fire(TRG_EVENT_UPDATE, TRG_ACTION_AFTER, true); !fired) return fired.error();
  return Updated::kDone;
}

// After new values were stored in record[0]: what the server itself computes of an updated row, and what
// `triggers` make of it. A row that stays as it is keeps its ON UPDATE timestamp, too. False: it does.
Result<bool> MysqlCursor::compute_updated_row(Trigger_chain* triggers, NullableFields& nullable) {
  const auto differs = [this] {
    return !records_are_comparable(table_) || compare_records(table_);
  };
  if (!compute_generated(true)) return failed(0).error();
  const bool was_changed = differs();
  if (was_changed && (set_function_defaults(table_, false, given_) || !compute_generated(false)))
    return failed(0).error();
  if (triggers == nullptr) {
    if (check_record(session_.thd(), table_->field)) return failed(0).error();
    return was_changed;
  }
  if (auto fired = fire_before(TRG_EVENT_UPDATE, *triggers); !fired) return fired.error();
  const bool is_changed = was_changed || differs();
  nullable.end();
  if (auto checked = check_nulls(); !checked) return checked.error();
  return is_changed;
}

// Writes record[0] over the row in record[1]; rows that have expired give way to it. Where the update
// reaches children, they do so before: those that it moves would go with a row that gives way.
Result<MysqlCursor::Written> MysqlCursor::write_updated_row() {
  THD* const thd = session_.thd();
  if (invoke_table_check_constraints(thd, table_)) return failed(0).error();
  const bool has_children =
      use_sql_fk_checks_for_table(thd, table_) && table_->s->is_referenced_by_foreign_key();
  if (has_children && expiry_.exists()) {
    const Result<Way> way = clear_way_for_update();
    if (!way) return way.error();
    if (*way == Way::kMovedOn) return Written::kNot;
  }
  if (use_sql_fk_checks_for_table(thd, table_) &&
      (check_all_child_fk_ref(thd, table_, enum_fk_dml_type::FK_UPDATE) ||
       check_all_parent_fk_ref(thd, table_, enum_fk_dml_type::FK_UPDATE)))
    return failed(0).error();
  handler* const file = table_->file;
  for (;;) {
    const int error = file->ha_update_row(table_->record[1], table_->record[0]);
    if (error == HA_ERR_RECORD_IS_THE_SAME) return Written::kSame;
    if (error == 0) break;
    if (!in_server::is_duplicate(error) || !expiry_.exists() || has_children)
      return failed(error).error();
    const Result<Way> way = give_way_to_update(error);
    if (!way) return way.error();
    if (*way == Way::kMovedOn) return Written::kNot;
    if (*way == Way::kBlocked) return failed(error).error();
  }
  session_.note_change();
  return Written::kChanged;
}

// The virtual columns of the row that is to be changed, as strictly as SQL reads it. The engine computes
// them once more, and where it cannot, it leaves their entries in the indexes.
Result<void> MysqlCursor::compute_old_row() {
  const bool failed_to_compute =
      table_->vfield != nullptr && update_generated_read_fields(table_->record[0], table_);
  return failed_to_compute || session_.thd()->is_error() ? failed(0) : Result<void>();
}

Result<void> MysqlCursor::erase() {
  THD* const thd = session_.thd();
  const StrictStores strict(thd, thd->check_for_truncated_fields);  // for what triggers do
  if (auto computed = compute_old_row(); !computed) return computed;
  if (auto fired = fire(TRG_EVENT_DELETE, TRG_ACTION_BEFORE, false); !fired) return fired;
  if (use_sql_fk_checks_for_table(thd, table_) &&
      check_all_child_fk_ref(thd, table_, enum_fk_dml_type::FK_DELETE))
    return failed(0);
  if (const int error = table_->file->ha_delete_row(table_->record[0])) return failed(error);
  session_.note_change();
  return fire(TRG_EVENT_DELETE, TRG_ACTION_AFTER, false);
}

}  // namespace hs::mysql
