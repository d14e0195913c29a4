// SPDX-License-Identifier: GPL-2.0-only
// What is set in the THD and in the TABLE while a row is stored, and reset however that ends.
#pragma once

#include "mariadb/server_headers.h"

namespace hs::mariadb {

// Resets what storing values changes in the THD, however the function is left.
class StrictStores {
 public:
  StrictStores(THD* thd, enum_check_fields check) : thd_(thd) {
    thd_->count_cuted_fields = check;
    thd_->abort_on_warning = thd_->is_strict_mode();
  }
  ~StrictStores() {
    thd_->count_cuted_fields = CHECK_FIELD_IGNORE;
    thd_->abort_on_warning = false;
  }
  StrictStores(const StrictStores&) = delete;
  StrictStores& operator=(const StrictStores&) = delete;

 private:
  THD* thd_;
};

// Resets the TABLE after an insert, however it ends.
class AutoIncrement {
 public:
  explicit AutoIncrement(TABLE* table) : table_(table) {
    table_->next_number_field = table_->found_next_number_field;
    table_->auto_increment_field_not_null = false;
  }
  ~AutoIncrement() {
    table_->file->ha_release_auto_increment();
    table_->auto_increment_field_not_null = false;
    table_->next_number_field = nullptr;
  }
  AutoIncrement(const AutoIncrement&) = delete;
  AutoIncrement& operator=(const AutoIncrement&) = delete;

 private:
  TABLE* table_;
};

// Gives back the id that was generated for a new row, unless the row is kept. As in SQL the next
// row of the statement then gets it.
class GeneratedId {
 public:
  explicit GeneratedId(handler* file) : file_(file), next_(file->next_insert_id) {}
  ~GeneratedId() {
    if (!is_kept_) give_back();
  }
  GeneratedId(const GeneratedId&) = delete;
  GeneratedId& operator=(const GeneratedId&) = delete;

  // After each write of the row. A second one finds the id in the row, and takes it for a given
  // one.
  void note_write() {
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
  explicit OldFields(TABLE* table) : table_(table) {
    table_->move_fields(table_->field, table_->record[1], table_->record[0]);
  }
  ~OldFields() { table_->move_fields(table_->field, table_->record[0], table_->record[1]); }
  OldFields(const OldFields&) = delete;
  OldFields& operator=(const OldFields&) = delete;

 private:
  TABLE* const table_;
};

}  // namespace hs::mariadb
