// SPDX-License-Identifier: GPL-2.0-only
// A table's definition in the server's data dictionary, held while it is looked at, and the texts that
// describe it. They are those of INFORMATION_SCHEMA's tables COLUMNS, STATISTICS and TABLES.
#pragma once

#include "mysql/server_headers.h"
// (before anything else)
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sql/dd/cache/dictionary_client.h"
#include "sql/dd/dd_schema.h"
#include "sql/dd/types/abstract_table.h"
#include "sql/dd/types/column.h"
#include "sql/dd/types/schema.h"
#include "sql/dd/types/table.h"
#include "sql/thd_raii.h"

namespace hs::mysql {

using DescriptionText = std::optional<std::string>;  // none: NULL
using DescriptionRow = std::vector<DescriptionText>;

// Takes the metadata locks that SHOW takes, which wait for no DDL that itself waits, and gives them
// back at its end, with all that they were taken for. Tables that the THD has open stay as they are,
// and the memory of its statement is not used. Each call that returns null or false without
// is_missing() has raised an error: ER_LOCK_WAIT_TIMEOUT after lock_wait_timeout.
class HeldDefinition {
 public:
  explicit HeldDefinition(THD* thd);
  ~HeldDefinition();
  HeldDefinition(const HeldDefinition&) = delete;
  HeldDefinition& operator=(const HeldDefinition&) = delete;

  // The names are as filed.
  const dd::Schema* schema(const std::string& database);
  // A table or a view that users see. Calls schema().
  const dd::Abstract_table* table(const std::string& database, const std::string& table);
  // There is no such database or table, and no error is raised.
  bool is_missing() const { return is_missing_; }

 private:
  THD* const thd_;
  const MDL_savepoint locked_before_;
  MEM_ROOT memory_;
  const Swap_mem_root_guard uses_memory_;
  dd::Schema_MDL_locker schema_lock_;
  const dd::cache::Dictionary_client::Auto_releaser releaser_;
  bool is_missing_ = false;
};

// Which columns an account sees; empty: all.
using SeesColumn = std::function<bool(const std::string& column)>;

// `shows_generated_keys`: also invisible primary keys that the server has made
// (show_gipk_in_create_table_and_information_schema).
std::vector<DescriptionRow> columns_of(const dd::Table& table, bool shows_generated_keys,
                                       const SeesColumn& sees);
std::vector<DescriptionRow> indexes_of(const dd::Table& table, bool shows_generated_keys);
std::string comment_of(const dd::Abstract_table& table);

}  // namespace hs::mysql
