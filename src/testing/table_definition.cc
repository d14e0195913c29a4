#include "testing/table_definition.h"

#include <algorithm>

namespace hs::testing {
namespace {

std::string_view trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t at = text.find(separator);
    parts.push_back(trim(text.substr(0, at)));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string_view take_word(std::string_view& text) {
  const std::string_view word = text.substr(0, text.find_first_of(" \t\n"));
  text = trim(text.substr(word.size()));
  return word;
}

bool parse_column(std::string_view text, ColumnDefinition& column) {
  column.name = take_word(text);
  const std::string_view type = take_word(text);
  if (type == "int") {
    column.type = ColumnType::kInt;
  } else if (type == "unsigned") {
    column.type = ColumnType::kUnsigned;
  } else if (type == "big") {
    column.type = ColumnType::kBig;
  } else if (type == "double") {
    column.type = ColumnType::kDouble;
  } else if (type == "text") {
    column.type = ColumnType::kText;
  } else {
    return false;
  }
  while (!text.empty()) {
    const std::string_view word = take_word(text);
    if (word == "null") {
      column.nullable = true;
    } else if (word == "auto_increment" &&
               (column.type == ColumnType::kInt || column.type == ColumnType::kUnsigned)) {
      column.auto_increment = true;
    } else if (word == "expires" && column.type != ColumnType::kText) {
      column.is_expiry = true;
    } else if (word == "default") {
      column.default_value = take_word(text);
    } else {
      return false;
    }
  }
  return true;
}

// Splits `name(a, b)`, already trimmed, into what stands before and inside the parentheses.
bool parse_call(std::string_view text, std::string_view& name, std::string_view& inside) {
  const size_t open = text.find('(');
  if (open == std::string_view::npos || text.back() != ')') return false;
  name = trim(text.substr(0, open));
  inside = text.substr(open + 1, text.size() - open - 2);
  return true;
}

bool parse_index(std::string_view text, const std::vector<ColumnDefinition>& columns,
                 IndexDefinition& index) {
  std::string_view name;
  std::string_view inside;
  if (!parse_call(text, name, inside)) return false;
  if (name.starts_with("unique ")) {
    take_word(name);
    index.unique = true;
  }
  index.name = name;
  for (std::string_view column : split(inside, ',')) {
    if (std::none_of(columns.begin(), columns.end(),
                     [&](const ColumnDefinition& known) { return known.name == column; })) {
      return false;
    }
    index.columns.emplace_back(column);
  }
  return !name.empty();
}

}  // namespace

std::optional<TableDefinition> parse_table_definition(std::string_view text, std::string* error) {
  const auto fail = [&](std::string_view what, std::string_view where) {
    *error = std::string(what).append(": '").append(where).append("'");
    return std::nullopt;
  };
  std::string_view name;
  std::string_view inside;
  TableDefinition table;
  const size_t end = std::min(text.rfind(')'), text.size() - 1);
  table.comment = trim(text.substr(std::min(end + 1, text.size())));
  if (!parse_call(trim(text.substr(0, end + 1)), name, inside))
    return fail("a table looks like db.table(...)", text);
  const size_t dot = name.find('.');
  if (dot == 0 || dot == std::string_view::npos || dot + 1 == name.size()) {
    return fail("a table is named database.table", name);
  }
  table.database = name.substr(0, dot);
  table.table = name.substr(dot + 1);

  const std::vector<std::string_view> parts = split(inside, ';');
  for (std::string_view column : split(parts[0], ',')) {
    if (!parse_column(column, table.columns.emplace_back())) return fail("no such column", column);
  }
  if (parts.size() < 2) return fail("a table needs an index", text);
  for (size_t i = 1; i < parts.size(); ++i) {
    if (!parse_index(parts[i], table.columns, table.indexes.emplace_back())) {
      return fail("no such index", parts[i]);
    }
  }
  return table;
}

}  // namespace hs::testing
