// What the fake engine tells of its tables.
#include <algorithm>
#include <utility>

#include "testing/fake_session.h"

namespace hs::testing {
namespace {

using Text = std::optional<std::string>;
using Texts = std::vector<Text>;

std::string key_of(const Table& table, size_t column) {
  std::string key;
  for (const Table::Index& index : table.indexes()) {
    if (index.columns.front() != column) continue;
    if (index.name == "PRIMARY") return "PRI";
    const bool identifies = index.unique && index.columns.size() == 1;
    if (identifies || key.empty()) key = identifies ? "UNI" : "MUL";
  }
  return key;
}

Text default_of(const ColumnDefinition& column) {
  if (!column.default_value) return column.nullable ? Text("NULL") : std::nullopt;
  return column.type == ColumnType::kText ? "'" + *column.default_value + "'"
                                          : *column.default_value;
}

Texts row_of(const Table& table, size_t at) {
  const ColumnDefinition& column = table.columns()[at];
  const bool is_text = column.type == ColumnType::kText;
  return {column.name,
          is_text                                ? "text"
          : column.type == ColumnType::kDouble   ? "double"
          : column.type == ColumnType::kUnsigned ? "int(10) unsigned"
          : column.type == ColumnType::kBig      ? "bigint(20)"
                                                 : "int(11)",
          column.nullable ? "YES" : "NO",
          key_of(table, at),
          default_of(column),
          column.auto_increment ? "auto_increment" : "",
          is_text ? Text("binary") : std::nullopt,
          ""};
}

}  // namespace

std::vector<Texts> FakeSession::description(const engine::Described& what) {
  std::vector<Texts> texts;
  const std::lock_guard lock(engine_.mutex_);
  for (const auto& [name, table] : engine_.tables_) {
    if (!sees_locked(name.first, name.second)) continue;
    const bool is_meant = (what.database.empty() || what.database == name.first) &&
                          (what.table.empty() || what.table == name.second);
    if (!is_meant) continue;
    if (what.database.empty()) {
      if (texts.empty() || texts.back()[0] != name.first) texts.push_back({name.first});
    } else if (what.table.empty()) {
      texts.push_back({name.second, ""});
    } else if (!what.of_indexes) {
      for (size_t i = 0; i < table->columns().size(); ++i) texts.push_back(row_of(*table, i));
    } else {
      for (const Table::Index& index : table->indexes()) {
        for (size_t i = 0; i < index.columns.size(); ++i) {
          texts.push_back({index.name, std::to_string(i + 1),
                           table->columns()[index.columns[i]].name, index.unique ? "1" : "0", "A",
                           std::nullopt});
        }
      }
    }
  }
  return texts;
}

Result<void> FakeSession::describe(const engine::Described& what, engine::DescriptionRows& rows) {
  HS_ASSERT(here(!request_) && !has_uncommitted_changes());
  const std::vector<Texts> texts = description(what);
  // There is no database without tables, and no table without columns and indexes.
  if (texts.empty() && !what.database.empty()) return ErrorCode::kOpenTable;
  for (const Texts& row : texts) {
    std::vector<Value> values;
    for (const Text& text : row) values.push_back(text ? Value::of(*text) : Value::null());
    if (!rows.take(values)) break;
  }
  return {};
}

bool FakeSession::sees_locked(std::string_view database, std::string_view table) {
  if (account_ == nullptr) return true;
  const auto& granted = engine_.accounts_[account_->user()].rights;
  const auto at = granted.find(std::string(database).append(".").append(table));
  return at != granted.end() && at->second.sees;
}

bool FakeSession::sees(std::string_view database, std::string_view table) {
  const std::lock_guard lock(engine_.mutex_);
  return sees_locked(database, table);
}

Result<mapping::TableShape> FakeSession::shape(std::string_view database, std::string_view table) {
  HS_ASSERT(here(!request_) && !has_uncommitted_changes());
  must_wait_ = false;
  const std::lock_guard lock(engine_.mutex_);
  const std::shared_ptr<Table> found = engine_.find_table(database, table);
  if (!found) return ErrorCode::kOpenTable;
  mapping::TableShape shape = found->shape();
  shape.database = database;
  shape.table = table;
  return shape;
}

void FakeSession::look_for_news(bool, mapping::TableNews& news) {
  const std::lock_guard lock(engine_.mutex_);
  news = std::exchange(engine_.news_, {});
}

}  // namespace hs::testing
