// Tables described by a line of text, for command lines and tests:
//
//   test.user(user_id int auto_increment, user_name text null, age unsigned default 0;
//             PRIMARY(user_id); unique by_name(user_name); by_age(age, user_id))
//
// Behind it may stand the table's comment: `hs: name=user`.
//
// Columns: name, then int | unsigned | big | double | text, then any of null, auto_increment,
// expires, default WORD.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testing/table.h"

namespace hs::testing {

struct TableDefinition {
  std::string database;
  std::string table;
  std::vector<ColumnDefinition> columns;
  std::vector<IndexDefinition> indexes;  // at least one
  std::string comment;
};

// Empty when the text is no table definition; *error is then one sentence.
std::optional<TableDefinition> parse_table_definition(std::string_view text, std::string* error);

}  // namespace hs::testing
