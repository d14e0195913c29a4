#include "testing/table_definition.h"

#include <gtest/gtest.h>

namespace hs::testing {
namespace {

TEST(TableDefinition, HasColumnsAndIndexes) {
  std::string error;
  const auto table = parse_table_definition(
      " test.user(id int auto_increment, name text null default bob, n unsigned default 7;\n"
      "  PRIMARY(id) ; unique by_name( name ); by_n(n,id) ) ",
      &error);
  ASSERT_TRUE(table) << error;
  EXPECT_EQ(table->database, "test");
  EXPECT_EQ(table->table, "user");
  ASSERT_EQ(table->columns.size(), 3u);
  EXPECT_EQ(table->columns[0].name, "id");
  EXPECT_EQ(table->columns[0].type, ColumnType::kInt);
  EXPECT_TRUE(table->columns[0].auto_increment);
  EXPECT_FALSE(table->columns[0].nullable);
  EXPECT_EQ(table->columns[1].type, ColumnType::kText);
  EXPECT_TRUE(table->columns[1].nullable);
  EXPECT_EQ(table->columns[1].default_value, "bob");
  EXPECT_EQ(table->columns[2].type, ColumnType::kUnsigned);
  EXPECT_EQ(table->columns[2].default_value, "7");
  ASSERT_EQ(table->indexes.size(), 3u);
  EXPECT_EQ(table->indexes[1].name, "by_name");
  EXPECT_TRUE(table->indexes[1].unique);
  EXPECT_EQ(table->indexes[2].columns, (std::vector<std::string>{"n", "id"}));
  EXPECT_FALSE(table->indexes[2].unique);
}

TEST(TableDefinition, RefusesEverythingElseWithASentence) {
  for (const char* text :
       {"", "test.user", "user(id int; PRIMARY(id))", ".user(id int; PRIMARY(id))",
        "test.(id int; PRIMARY(id))", "test.user(id int)", "test.user(id float; PRIMARY(id))",
        "test.user(id int odd; PRIMARY(id))", "test.user(name text auto_increment; PRIMARY(name))",
        "test.user(id int; PRIMARY)", "test.user(id int; PRIMARY(nothing))",
        "test.user(id int; (id))", "test.user(id int; PRIMARY())", "test.user(; PRIMARY(id))"}) {
    std::string error;
    EXPECT_FALSE(parse_table_definition(text, &error)) << text;
    EXPECT_FALSE(error.empty()) << text;
  }
}

}  // namespace
}  // namespace hs::testing
