// SPDX-License-Identifier: GPL-2.0-only
// What is set in the THD and in the TABLE while values are stored, and reset however that ends.
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

}  // namespace hs::mariadb
