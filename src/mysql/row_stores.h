// SPDX-License-Identifier: GPL-2.0-only
// What is set in the THD and in the TABLE while a row is stored, and reset however that ends. What both
// servers have of it is in in_server/row_stores.h.
#pragma once

#include "mysql/server_headers.h"
// (before anything else)
#include "in_server/row_stores.h"
#include "sql/error_handler.h"
#include "sql/table_trigger_dispatcher.h"

namespace hs::mysql {

using in_server::AutoIncrement;
using in_server::OldFields;

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

}  // namespace hs::mysql
