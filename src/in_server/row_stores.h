// SPDX-License-Identifier: GPL-2.0-only
// What is set in the TABLE and in its handler while a row is stored, and reset however that ends.
#pragma once

#include "server_words.h"

namespace hs::in_server {

// Resets the TABLE after an insert, however it ends.
class AutoIncrement {
 public:
  explicit AutoIncrement(TABLE* table) : table_(table) {
    table_->next_number_field = table_->found_next_number_field;
    has_given_number(table_) = false;
  }
  ~AutoIncrement() {
    table_->file->ha_release_auto_increment();
    has_given_number(table_) = false;
    table_->next_number_field = nullptr;
  }
  AutoIncrement(const AutoIncrement&) = delete;
  AutoIncrement& operator=(const AutoIncrement&) = delete;

 private:
  TABLE* const table_;
};

// Gives back the id that was generated for a new row, unless the row is kept. As in SQL the next
// row of the statement then gets it.
class GeneratedId {
 public:
  // Before the row is made: MySQL's check of a foreign key generates the id that it looks for.
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

}  // namespace hs::in_server
