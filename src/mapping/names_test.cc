#include "mapping/names.h"

#include <gtest/gtest.h>

#include <string>

namespace hs::mapping {
namespace {

// "database.table name rest", or none.
std::string head_of(std::string_view key) {
  Head head;
  if (!take_head(key, &head)) return "none";
  std::string text(head.name);
  if (!head.table.empty()) text.append(" = ").append(head.database).append(" ").append(head.table);
  return text.append(" | ").append(head.rest);
}

TEST(NamesTest, TheFirstSeparatorEndsTheName) {
  EXPECT_EQ(head_of("user:1"), "user | 1");
  EXPECT_EQ(head_of("user:"), "user | ");
  EXPECT_EQ(head_of("user:1:2"), "user | 1:2");
  EXPECT_EQ(head_of("us-er_$9#1"), "us-er_$9 | 1");
  EXPECT_EQ(head_of("gr\xc3\xb6\xc3\x9f"
                    "e/1"),
            "gr\xc3\xb6\xc3\x9f"
            "e | 1");
  EXPECT_EQ(head_of("user:a.b"), "user | a.b");
}

TEST(NamesTest, ADotStandsBetweenADatabaseAndATable) {
  EXPECT_EQ(head_of("test.user:1"), "test.user = test user | 1");
  for (const char* key : {".user:1", "test.:1", "a.b.c:1", ".:1"}) EXPECT_EQ(head_of(key), "none");
}

TEST(NamesTest, OtherKeysHaveNoName) {
  for (const char* key : {"", "user", ":1", "@@user", "a b:1", "a\n:1", " a:1"})
    EXPECT_EQ(head_of(key), "none") << key;
  EXPECT_EQ(head_of(std::string(513, 'x') + ":1"), std::string(513, 'x') + " | 1");
  EXPECT_EQ(head_of(std::string(514, 'x') + ":1"), "none");
}

TEST(NamesTest, EveryByteIsOfNamesOrSeparatesOrIsNeither) {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const std::string text(1, c);
    EXPECT_FALSE(is_plain(text) && is_separator(c)) << byte;
    const bool is_neither = byte <= ' ' || byte == 127 || c == '.';
    EXPECT_EQ(!is_plain(text) && !is_separator(c), is_neither) << byte;
  }
}

TEST(NamesTest, ListsAreSplitBetweenAnyOfTheCharacters) {
  using List = std::vector<std::string>;
  EXPECT_EQ(split_names("a,b", ","), (List{"a", "b"}));
  EXPECT_EQ(split_names(" a ;b|c,", " ;|,"), (List{"a", "b", "c"}));
  EXPECT_EQ(split_names("", ","), List());
  EXPECT_EQ(split_names(",,", ","), List());
}

TEST(NamesTest, LettersOfAsciiAreTheSameInEitherCase) {
  EXPECT_TRUE(is_same_name("User_Id", "uSER_iD"));
  EXPECT_FALSE(is_same_name("a", "ab"));
  EXPECT_FALSE(is_same_name("[", "{"));
}

}  // namespace
}  // namespace hs::mapping
