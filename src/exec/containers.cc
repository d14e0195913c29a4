#include "exec/containers.h"

#include <algorithm>
#include <array>
#include <span>

#include "mapping/names.h"

namespace hs::exec {
namespace {

using mapping::Container;
using mapping::Containers;
using mapping::split_names;

constexpr size_t kMostContainers = 10'000;

// In lists of columns.
constexpr std::string_view kBetweenColumns = " ;,|";

// Calls `take` with each row of the table, in the order of its primary key, a text.
template <class Take>
Result<void> read_rows(engine::Session& session, const engine::IndexSpecPtr& spec, Take take) {
  const Result<engine::Cursor*> opened = session.cursor(spec);
  if (!opened) return opened.error();
  engine::Cursor& cursor = **opened;
  if (auto begun = session.begin_request(cursor, engine::Access::kRead, engine::Rows::kMany);
      !begun) {
    return begun;
  }
  const Value first = Value::of("");
  Result<bool> found = cursor.seek(KeyOperator::kGreaterOrEqual, {&first, 1});
  size_t rows = 0;
  for (; found && *found && rows < kMostContainers; found = cursor.next(), ++rows) {
    Result<std::span<const Value>> row = cursor.row();
    if (!row) {
      session.undo_request();
      return std::move(row.error());
    }
    take(*row);
  }
  if (!found) {
    session.undo_request();
    return std::move(found.error());
  }
  return session.end_request();
}

// The name of a column; `0` means none, too.
std::string column_of(const Value& value) {
  return value.text() == "0" ? std::string() : std::string(value.text());
}

engine::IndexSpecPtr spec_of(const char* table, std::vector<std::string> columns) {
  return std::make_shared<const engine::IndexSpec>(
      engine::IndexSpec{kDatabaseOfContainers, table, "PRIMARY", std::move(columns), {}});
}

Result<void> read_all(engine::Session& session, Containers& made) {
  // The same objects each time, so that the session keeps their cursors.
  static const engine::IndexSpecPtr kContainers = spec_of(
      kTableOfContainers, {"name", "db_schema", "db_table", "key_columns", "value_columns", "flags",
                           "cas_column", "expire_time_column", "unique_idx_name_on_key"});
  static const engine::IndexSpecPtr kOptions = spec_of("config_options", {"name", "value"});
  Result<void> done = read_rows(session, kContainers, [&](std::span<const Value> row) {
    Container& one = made.all.emplace_back();
    one.name = row[0].text();
    one.database = row[1].text();
    one.table = row[2].text();
    one.declared.key = split_names(row[3].text(), kBetweenColumns);
    one.declared.value = split_names(row[4].text(), kBetweenColumns);
    one.declared.flags = column_of(row[5]);
    one.declared.cas = column_of(row[6]);
    one.declared.ttl = column_of(row[7]);
    one.declared.index = row[8].text();
  });
  if (!done) return done;
  // As the collation of the table has them, which others need not share.
  std::sort(made.all.begin(), made.all.end(),
            [](const Container& a, const Container& b) { return a.name < b.name; });
  done = read_rows(session, kOptions, [&](std::span<const Value> row) {
    if (row[1].text().empty()) return;
    if (row[0].text() == "separator") made.separator = row[1].text();
    if (row[0].text() == "table_map_delimiter") made.delimiter = row[1].text();
  });
  // The options may be missing.
  if (!done && done.error().code != ErrorCode::kOpenTable) return done;
  for (Container& one : made.all) one.declared.value_separator = made.separator;
  return {};
}

}  // namespace

Result<Containers> read_containers(engine::Session& session) {
  Containers made;
  Result<void> done = read_all(session, made);
  if (!done && done.error().code == ErrorCode::kOpenTable) {
    made = {};
    done = {};
  }
  if (done) done = session.commit();
  if (done) return made;
  session.rollback();
  return std::move(done.error());
}

}  // namespace hs::exec
