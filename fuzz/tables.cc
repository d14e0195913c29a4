#include "tables.h"

#include <optional>

#include "require.h"
#include "testing/table_definition.h"

namespace hs::fuzz {
namespace {

using Rows = std::vector<std::vector<std::optional<std::string>>>;
constexpr std::nullopt_t kNull = std::nullopt;

struct Table {
  testing::TableDefinition definition;
  Rows rows;
};

Table make(const char* text, Rows rows) {
  std::string error;
  auto definition = testing::parse_table_definition(text, &error);
  require(definition.has_value(), error.c_str());
  return {std::move(*definition), std::move(rows)};
}

const std::vector<Table>& tables() {
  static const std::vector<Table> all = {
      make("find.t(id int, a int null, b int null, c int; PRIMARY(id); abc(a, b, c); cc(c))",
           {{"1", kNull, kNull, "5"},
            {"2", kNull, "1", "5"},
            {"3", "1", kNull, "5"},
            {"5", "1", "2", "5"},
            {"8", "3", "1", "7"}}),
      make("in.t(id int, a int null, b int null, v text null; PRIMARY(id); ab(a, b))",
           {{"1", "1", "1", "a"},
            {"2", "1", "2", "b"},
            {"4", "2", "2", "d"},
            {"6", kNull, "1", "f"},
            {"7", "3", kNull, "g"}}),
      make("modify.t(id int, a int null, b text null, c text; PRIMARY(id); a(a); unique b(b))",
           {{"1", "10", "x", "one"},
            {"2", "20", "y", "two"},
            {"3", "20", "z", "three"},
            {"4", kNull, kNull, "four"},
            {"5", "50", kNull, ""}}),
      make("insert.t(id int, a int null, b text default dflt, c text null; PRIMARY(id);"
           " unique c(c))",
           {{"1", "10", "x", "one"}}),
      make("auto_increment.generated(id int auto_increment, v text null; PRIMARY(id))", {}),
      make("counting.t(id int, n int null, u unsigned null, s text null; PRIMARY(id); n(n))",
           {{"1", "10", "10", "10"},
            {"2", "-10", "0", "-10"},
            {"4", kNull, kNull, kNull},
            {"5", "2147483600", "4294967200", "text"},
            {"9", "50", "1", "007"}}),
      make("filters.t(id int, n int null, s text null, m int; PRIMARY(id); n(n))",
           {{"1", "1", "a", "10"},
            {"3", kNull, kNull, "30"},
            {"4", "4", "", "40"},
            {"6", "-1", "bb", "60"}}),
      make("escaping.t(k text, v text null; PRIMARY(k); v(v))",
           {{"key", "value"}, {"null", kNull}, {"empty", ""}}),
      make("pairs.t(a int, b int, v unsigned default 3; PRIMARY(a, b); unique ba(b, a); v(v))",
           {{"1", "1", "1"}, {"1", "2", "2"}, {"2", "1", "2"}}),
  };
  return all;
}

}  // namespace

void create_tables(testing::FakeEngine& engine, std::string_view requests) {
  for (const auto& [definition, rows] : tables()) {
    if (requests.find(definition.database) == std::string_view::npos) continue;
    engine.create_table(definition.database, definition.table, definition.columns,
                        definition.indexes);
    for (const auto& row : rows) {
      require(engine.add_row(definition.database, definition.table, row), "the rows are right");
    }
  }
}

Snapshot snapshot(const testing::FakeEngine& engine) {
  Snapshot all;
  for (const auto& [definition, rows] : tables()) {
    all.push_back(engine.rows(definition.database, definition.table));
  }
  return all;
}

}  // namespace hs::fuzz
