// SPDX-License-Identifier: GPL-2.0-only
// What a session tells of databases and tables: the answers of SHOW, without its statements.
//
// A table's metadata lock is held while its definition is copied, a fraction of a millisecond. None
// is held while a row is taken or other work is let in.
#include "mariadb/session.h"
// (before anything else)
#include <sql_table.h>

#include <algorithm>

#include "mariadb/directory.h"
#include "mariadb/engine.h"
#include "mariadb/names.h"
#include "mariadb/table_description.h"

namespace hs::mariadb {
namespace {

// How many rows cost as much work to read as a definition, and as an entry of a directory.
constexpr uint32_t kRowsWorthADefinition = 128;
constexpr uint32_t kRowsWorthAName = 4;

// While it lives, directories are read, which may take long.
class DirectoryWait {
 public:
  explicit DirectoryWait(ServerSession& session) : session_(session) {
    session_.on_wait_begin(THD_WAIT_DISKIO);
  }
  ~DirectoryWait() { session_.on_wait_end(); }
  DirectoryWait(const DirectoryWait&) = delete;
  DirectoryWait& operator=(const DirectoryWait&) = delete;

 private:
  ServerSession& session_;
};

bool take(const DescriptionRow& row, engine::DescriptionRows& rows) {
  std::vector<Value> values;
  for (const DescriptionText& text : row) values.push_back(text ? Value::of(*text) : Value::null());
  return rows.take(values);
}

// The names of all databases, sorted.
std::vector<std::string> database_names() {
  std::vector<std::string> names;
  const Directory directory(my_dir(mysql_data_home, MYF(MY_WANT_STAT)));
  if (directory == nullptr) return names;
  for (size_t i = 0; i < directory->number_of_files; ++i) {
    const FILEINFO& file = directory->dir_entry[i];
    if (!MY_S_ISDIR(file.mystat->st_mode)) continue;
    char name[SAFE_NAME_LEN + 1];
    filename_to_tablename(file.name, name, sizeof name, true);
    if (is_valid_name(name) && !db_name_is_in_ignore_db_dirs_list(name)) names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The names of all tables of a database, sorted. None: there is no such database.
std::optional<std::vector<std::string>> table_names(THD* thd, const std::string& database) {
  char path[FN_REFLEN + 1];
  build_table_filename(path, sizeof path - 1, database.c_str(), "", "", 0);
  const Directory directory(my_dir(path, MYF(0)));
  if (directory == nullptr) return std::nullopt;
  const OwnArena arena(thd);
  Dynamic_array<LEX_CSTRING*> found(PSI_memory_key{PSI_NOT_INSTRUMENTED});
  Discovered_table_list list(thd, &found);
  LEX_CSTRING db = {database.data(), database.size()};
  std::vector<std::string> names;
  if (ha_discover_table_names(thd, &db, directory.get(), &list, false)) return names;
  for (size_t i = 0; i < found.elements(); ++i) {
    const LEX_CSTRING& name = *found.at(i);
    // Temporary tables of the server are under names that are not valid.
    if (is_valid_name({name.str, name.length})) names.emplace_back(name.str, name.length);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

Result<void> MariaSession::describe(const engine::Described& what, engine::DescriptionRows& rows) {
  lock_waits().forget_refused();
  struct End {
    MariaSession& session;
    ~End() { session.take_back_if_repeated(); }
  } const end{*this};
  Result<void> done = begin_describe();
  if (done && account_ != nullptr && !account_use_.count(thd_, *account_, SQLCOM_SELECT))
    done = Error::access_denied(ER_USER_LIMIT_REACHED);
  const std::string database = filed_name(std::string(what.database));
  const std::string table = filed_name(std::string(what.table));
  if (!done) {
    // The error stands.
  } else if (what.database.empty()) {
    done = describe_databases(rows);
  } else if (!is_valid_name(what.database) || !is_valid_name(database)) {
    done = ErrorCode::kOpenTable;
  } else if (what.table.empty()) {
    done = describe_tables(database, rows);
  } else if (!is_valid_name(what.table) || !is_valid_name(table)) {
    done = ErrorCode::kOpenTable;
  } else {
    done = describe_table(database, table, what.of_indexes, rows);
  }
  return done;
}

Result<void> MariaSession::begin_describe() {
  if (auto ready = prepare_to_describe(); !ready) return ready;
  server_.begin_statement(SQLCOM_SELECT);
  time_limit_.begin(most_us(), 0);
  return {};
}

Result<void> MariaSession::describe_databases(engine::DescriptionRows& rows) {
  std::vector<std::string> names;
  {
    const DirectoryWait wait(server_);
    names = database_names();
  }
  for (const std::string& name : names) {
    if (thd_->killed != NOT_KILLED) return take_error(0);
    works(kRowsWorthAName);
    if (account_ != nullptr && !privileges().sees(account_->principal(), name)) continue;
    if (!take({name}, rows)) break;
  }
  return {};
}

Result<void> MariaSession::describe_tables(const std::string& database,
                                           engine::DescriptionRows& rows) {
  if (account_ != nullptr && !privileges().sees(account_->principal(), database))
    return ErrorCode::kOpenTable;
  std::optional<std::vector<std::string>> names;
  {
    const DirectoryWait wait(server_);
    names = table_names(thd_, database);
  }
  thd_->clear_error();
  if (!names) return ErrorCode::kOpenTable;
  for (const std::string& name : *names) {
    if (thd_->killed != NOT_KILLED) return take_error(0);
    works(kRowsWorthAName);
    if (account_ != nullptr && !privileges().sees(account_->principal(), database, name)) continue;
    DescriptionRow row{name};
    {
      const OwnArena arena(thd_);
      HeldDefinition definition(thd_);
      if (auto held = hold(definition, database, name, GTS_TABLE | GTS_VIEW); held) {
        row.emplace_back(comment_of(definition.share()));
      } else if (!is_of_table(held.error())) {
        return held;
      } else if (held.error().number != ER_NO_SUCH_TABLE) {
        // As in SQL, the comment tells why nothing more is known.
        row.emplace_back(held.error().message);
      }
    }
    works(kRowsWorthADefinition);
    if (row.size() == 2 && !take(row, rows)) break;
  }
  return {};
}

// Whether the error says that the table cannot be opened, rather than that the request must end.
bool MariaSession::is_of_table(const Error& error) {
  return error.code == ErrorCode::kEngine ||
         (error.code == ErrorCode::kSql && !ends_request(error));
}

// Errors: kLockTables, kInterrupted, kShutdown; kSql: whatever else.
Result<void> MariaSession::hold(HeldDefinition& definition, const std::string& database,
                                const std::string& table, uint flags) {
  const TableWait wait(server_);
  switch (definition.lock(database, table, lock_waits().may_wait())) {
    case HeldDefinition::Lock::kRefused:
      lock_waits().note_refused(adapter::LockWaits::Lock::kTable);
      return ErrorCode::kLockTables;
    case HeldDefinition::Lock::kFailed:
      return take_lock_error();
    case HeldDefinition::Lock::kTaken:
      break;
  }
  if (!definition.find(flags)) return take_lock_error();
  return {};
}

Result<void> MariaSession::describe_table(const std::string& database, const std::string& table,
                                          bool of_indexes, engine::DescriptionRows& rows) {
  if (account_ != nullptr && !privileges().sees(account_->principal(), database, table))
    return ErrorCode::kOpenTable;
  std::vector<DescriptionRow> texts;
  {
    const OwnArena arena(thd_);
    HeldDefinition definition(thd_);
    if (auto held = hold(definition, database, table, GTS_TABLE); !held) {
      if (is_of_table(held.error())) return ErrorCode::kOpenTable;
      return held;
    }
    TABLE* const made = definition.make_table(of_indexes);
    if (made == nullptr) {
      const Error error = take_error(0);
      return is_of_table(error) ? Error{ErrorCode::kOpenTable, 0, {}} : error;
    }
    std::optional<SeenOfTable> seen;
    if (account_ != nullptr) {
      seen = privileges().seen(account_->principal(), database.c_str(), table.c_str(),
                               {made->field, made->s->fields});
      if (!seen->table) return ErrorCode::kOpenTable;
    }
    const SeenOfTable* const what = seen ? &*seen : nullptr;
    texts = of_indexes ? indexes_of(*made, what) : columns_of(*made, what);
  }
  thd_->clear_error();
  works(kRowsWorthADefinition);
  for (const DescriptionRow& row : texts)
    if (!take(row, rows)) break;
  return {};
}

}  // namespace hs::mariadb
