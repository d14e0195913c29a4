// SPDX-License-Identifier: GPL-2.0-only
// What is set in the THD and in the TABLE while a row is stored, and reset however that ends. What both
// servers have of it is in in_server/row_stores.h.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include "in_server/row_stores.h"

namespace hs::mariadb {

using in_server::AutoIncrement;
using in_server::OldFields;

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

// In handler::lookup_errkey: the server itself has refused nothing. From handler::get_dup_key(): it
// is not known which index has.
constexpr uint kNoKey = static_cast<uint>(-1);

}  // namespace hs::mariadb
