#include "full_name.h"

#include <gtest/gtest.h>

#include "rows.h"

namespace hs::tool {
namespace {

void expect_parts(const std::string& text, const std::string& database, const std::string& table) {
  const FullName name = full_name_of(text);
  EXPECT_EQ(name.database, database) << text;
  EXPECT_EQ(name.table, table) << text;
}

TEST(FullName, IsATableAndMaybeADatabaseInFrontOfTheFirstDot) {
  expect_parts("user", "", "user");
  expect_parts("test.user", "test", "user");
  expect_parts("a.b.c", "a", "b.c");
  expect_parts("a`.b`", "a`", "b`");
}

TEST(FullName, HasAnyCharacterInBackquotes) {
  expect_parts("`user`", "", "user");
  expect_parts("`a.b`", "", "a.b");
  expect_parts("`a.b`.user", "a.b", "user");
  expect_parts("`a.b`.c.d", "a.b", "c.d");
  expect_parts("test.`a.b`", "test", "a.b");
  expect_parts("`a``.b`.```c`", "a`.b", "`c");
}

TEST(FullName, IsRefusedWhenAPartIsMissing) {
  for (const char* text :
       {"", ".", "a.", ".a", "`", "``", "`a", "`a`b", "``.a", "a.``", "a.`b", "a.`b`c"})
    EXPECT_THROW(full_name_of(text), UsageError) << text;
}

TEST(FullName, IsWrittenAsItIsRead) {
  for (const FullName& name : {FullName{"", "user"}, {"test", "user"}, {"a.b", "c"}, {"a`", "b.c"}})
    expect_parts(text_of(name), name.database, name.table);
  EXPECT_EQ(text_of({"test", "user"}), "test.user");
}

}  // namespace
}  // namespace hs::tool
