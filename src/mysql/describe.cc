// SPDX-License-Identifier: GPL-2.0-only
// What a session tells of databases and tables: the answers of SHOW, without its statements.
//
// A table's metadata lock is held while its definition is copied, a fraction of a millisecond. None
// is held while a row is taken or other work is let in.
#include <algorithm>

#include "mysql/engine.h"
#include "mysql/names.h"
#include "mysql/session.h"
#include "mysql/table_description.h"

namespace hs::mysql {
namespace {

// How many rows cost as much work to read as a definition, and as a name.
constexpr uint32_t kRowsWorthADefinition = 128;
constexpr uint32_t kRowsWorthAName = 4;

bool take(const DescriptionRow& row, engine::DescriptionRows& rows) {
  std::vector<Value> values;
  for (const DescriptionText& text : row) values.push_back(text ? Value::of(*text) : Value::null());
  return rows.take(values);
}

std::vector<std::string> sorted(const std::vector<dd::String_type>& names) {
  std::vector<std::string> made;
  for (const dd::String_type& name : names) made.emplace_back(name.data(), name.size());
  std::sort(made.begin(), made.end());
  return made;
}

// Its tables are views of the server's own making.
bool is_virtual(const std::string& database) { return database == "information_schema"; }

}  // namespace

Result<void> MysqlSession::describe(const engine::Described& what, engine::DescriptionRows& rows) {
  lock_waits().forget_refused();
  if (auto begun = begin_describe(); !begun) return begun;
  if (!count_request(SQLCOM_SELECT)) {
    server_.end_statement();
    return Error::access_denied(ER_USER_LIMIT_REACHED);
  }
  const std::string database = filed_name(std::string(what.database));
  const std::string table = filed_name(std::string(what.table));
  Result<void> done;
  if (what.database.empty()) {
    done = describe_databases(rows);
  } else if (!is_valid_name(what.database) || !is_valid_name(database) || is_virtual(database)) {
    done = ErrorCode::kOpenTable;
  } else if (what.table.empty()) {
    done = describe_tables(database, rows);
  } else if (!is_valid_name(what.table) || !is_valid_name(table)) {
    done = ErrorCode::kOpenTable;
  } else {
    done = describe_table(database, table, what.of_indexes, rows);
  }
  take_back_if_repeated();
  thd_->clear_error();
  server_.end_statement();
  return done;
}

Result<void> MysqlSession::begin_describe() {
  if (auto ready = prepare_to_describe(); !ready) return ready;
  server_.begin_statement(SQLCOM_SHOW_TABLES);
  return {};
}

Result<void> MysqlSession::describe_databases(engine::DescriptionRows& rows) {
  std::vector<dd::String_type> names;
  {
    const HeldDefinition definition(thd_);
    if (thd_->dd_client()->fetch_global_component_names<dd::Schema>(&names)) return take_error(0);
  }
  for (const std::string& name : sorted(names)) {
    if (thd_->killed != THD::NOT_KILLED) return take_error(0);
    works(kRowsWorthAName);
    if (is_virtual(name)) continue;
    if (account_ != nullptr && !privileges().sees(account_->principal(), name)) continue;
    if (!take({name}, rows)) break;
  }
  return {};
}

Result<void> MysqlSession::describe_tables(const std::string& database,
                                           engine::DescriptionRows& rows) {
  if (account_ != nullptr && !privileges().sees(account_->principal(), database))
    return ErrorCode::kOpenTable;
  std::vector<dd::String_type> names;
  {
    const TableWait wait(server_);
    HeldDefinition definition(thd_);
    const dd::Schema* const schema = definition.schema(database);
    if (schema == nullptr) return no_definition(definition);
    if (thd_->dd_client()->fetch_schema_component_names<dd::Abstract_table>(schema, &names))
      return take_error(0);
  }
  for (const std::string& name : sorted(names)) {
    if (thd_->killed != THD::NOT_KILLED) return take_error(0);
    works(kRowsWorthAName);
    if (account_ != nullptr && !privileges().sees(account_->principal(), database, name)) continue;
    DescriptionRow row{name};
    {
      const TableWait wait(server_);
      HeldDefinition definition(thd_);
      if (const dd::Abstract_table* const table = definition.table(database, name)) {
        row.emplace_back(comment_of(*table));
      } else if (!definition.is_missing()) {
        return take_lock_error();
      }
    }
    works(kRowsWorthADefinition);
    if (row.size() == 2 && !take(row, rows)) break;
  }
  return {};
}

Error MysqlSession::no_definition(const HeldDefinition& definition) {
  return definition.is_missing() ? Error{ErrorCode::kOpenTable, 0, {}} : take_lock_error();
}

Result<void> MysqlSession::describe_table(const std::string& database, const std::string& table,
                                          bool of_indexes, engine::DescriptionRows& rows) {
  SeesColumn sees;
  if (account_ != nullptr) {
    if (!privileges().sees(account_->principal(), database, table)) return ErrorCode::kOpenTable;
    sees = [&](const std::string& column) {
      return privileges().sees(account_->principal(), database, table, column);
    };
  }
  std::vector<DescriptionRow> texts;
  {
    const TableWait wait(server_);
    HeldDefinition definition(thd_);
    const dd::Abstract_table* const found = definition.table(database, table);
    if (found == nullptr) return no_definition(definition);
    const auto* const made = dynamic_cast<const dd::Table*>(found);
    if (made == nullptr) return ErrorCode::kOpenTable;
    const bool shows_all = thd_->variables.show_gipk_in_create_table_and_information_schema;
    texts = of_indexes ? indexes_of(*made, shows_all) : columns_of(*made, shows_all, sees);
  }
  works(kRowsWorthADefinition);
  for (const DescriptionRow& row : texts)
    if (!take(row, rows)) break;
  return {};
}

}  // namespace hs::mysql
