// SPDX-License-Identifier: GPL-2.0-only
// What is set in the THD and in the TABLE while a row is stored, and reset however that ends.
#pragma once

#include "mysql/server_headers.h"
// (before anything else)
#include "sql/error_handler.h"
#include "sql/table_trigger_dispatcher.h"

namespace hs::mysql {

// Values are stored as a statement of SQL stores them: where sql_mode is strict, what would be a
// warning is an error.
class StrictStores {
 public:
  StrictStores(THD* thd, enum_check_fields check) : thd_(thd), is_strict_(thd->is_strict_mode()) {
    thd_->check_for_truncated_fields = check;
    if (is_strict_) thd_->push_internal_handler(&handler_);
  }
  ~StrictStores() {
    if (is_strict_) thd_->pop_internal_handler();
    thd_->check_for_truncated_fields = CHECK_FIELD_IGNORE;
  }
  StrictStores(const StrictStores&) = delete;
  StrictStores& operator=(const StrictStores&) = delete;

 private:
  THD* const thd_;
  const bool is_strict_;
  Strict_error_handler handler_;
};

// Resets the TABLE after an insert, however it ends.
class AutoIncrement {
 public:
  explicit AutoIncrement(TABLE* table) : table_(table) {
    table_->next_number_field = table_->found_next_number_field;
    table_->autoinc_field_has_explicit_non_null_value = false;
  }
  ~AutoIncrement() {
    table_->file->ha_release_auto_increment();
    table_->autoinc_field_has_explicit_non_null_value = false;
    table_->next_number_field = nullptr;
  }
  AutoIncrement(const AutoIncrement&) = delete;
  AutoIncrement& operator=(const AutoIncrement&) = delete;

 private:
  TABLE* const table_;
};

// Where triggers run before a row is written, its columns accept NULL until they have run: a trigger may
// still give them a value. Without triggers it does nothing.
class NullableFields {
 public:
  NullableFields(THD* thd, const TABLE* table, const Trigger_chain* triggers)
      : triggers_(triggers == nullptr ? nullptr : table->triggers) {
    if (triggers_ != nullptr) triggers_->enable_fields_temporary_nullability(thd);
  }
  ~NullableFields() {
    end();
    if (triggers_ != nullptr) triggers_->reset_field_nulls();
  }
  NullableFields(const NullableFields&) = delete;
  NullableFields& operator=(const NullableFields&) = delete;

  // A column that is not nullable is none any more, and remembers that it was NULL.
  void end() {
    if (triggers_ != nullptr) triggers_->disable_fields_temporary_nullability();
  }

 private:
  Table_trigger_dispatcher* const triggers_;
};

// Gives back the id that was generated for a new row, unless the row is kept. As in SQL the next
// row of the statement then gets it.
class GeneratedId {
 public:
  // Before the row is made: the check of a foreign key generates the id that it looks for.
  explicit GeneratedId(handler* file) : file_(file), next_(file->next_insert_id) {
    file_->insert_id_for_cur_row = 0;
  }
  ~GeneratedId() {
    if (!is_kept_) give_back();
  }
  GeneratedId(const GeneratedId&) = delete;
  GeneratedId& operator=(const GeneratedId&) = delete;

  // After each call that may generate it. The next one finds the id in the row, and takes it for a
  // given one.
  void note() {
    if (file_->insert_id_for_cur_row > 0) id_ = file_->insert_id_for_cur_row;
    file_->insert_id_for_cur_row = id_;
  }
  ulonglong id() const { return id_; }  // 0: none was generated
  void give_back() { file_->restore_auto_increment(next_); }
  void keep() { is_kept_ = true; }

 private:
  handler* const file_;
  const ulonglong next_;
  ulonglong id_ = 0;
  bool is_kept_ = false;
};

// Makes the fields of the table those of the row in record[1] while it lives.
class OldFields {
 public:
  explicit OldFields(TABLE* table) : table_(table), distance_(table->record[1] - table->record[0]) {
    move_by(distance_);
  }
  ~OldFields() { move_by(-distance_); }
  OldFields(const OldFields&) = delete;
  OldFields& operator=(const OldFields&) = delete;

 private:
  void move_by(ptrdiff_t distance) {
    for (Field** field = table_->field; *field != nullptr; ++field)
      (*field)->move_field_offset(distance);
  }

  TABLE* const table_;
  const ptrdiff_t distance_;
};

}  // namespace hs::mysql
