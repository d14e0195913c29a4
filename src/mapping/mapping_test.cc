#include "mapping/mapping.h"

#include <gtest/gtest.h>

#include <string>

namespace hs::mapping {
namespace {

TableShape table() {
  TableShape made{"test", "user", "", 7, {}, {}};
  const auto add = [&made](std::string name, ColumnKind kind, int bytes = 0) {
    ColumnShape& column = made.columns.emplace_back();
    column.name = std::move(name);
    column.kind = kind;
    column.bytes = static_cast<uint8_t>(bytes);
  };
  add("user_id", ColumnKind::kInteger, 4);
  add("part", ColumnKind::kText);
  add("data", ColumnKind::kText);
  add("more", ColumnKind::kBinary);
  add("f", ColumnKind::kInteger, 4);
  add("small", ColumnKind::kInteger, 2);
  add("c", ColumnKind::kInteger, 8);
  add("expires_at", ColumnKind::kMoment);
  add("sum", ColumnKind::kInteger, 8);
  made.columns.back().is_computed = true;
  add("hidden", ColumnKind::kText);
  made.columns.back().is_hidden = true;
  made.indexes = {{"PRIMARY", true, true, {"user_id"}},
                  {"both", true, true, {"part", "user_id"}},
                  {"some", true, false, {"data"}},
                  {"any", false, true, {"more"}}};
  return made;
}

Result<MappingPtr> mapping_of(std::string_view comment, const TableShape& shape = table()) {
  Result<Declaration> declared = parse_comment(comment);
  if (!declared) return std::move(declared.error());
  return make(*declared, shape);
}

std::string names(const Mapping& made, const std::vector<Mapping::Position>& columns) {
  std::string all;
  for (const auto at : columns) all += (all.empty() ? "" : ",") + made.columns[at].name;
  return all;
}

std::string name(const Mapping& made, const std::optional<Mapping::Position>& column) {
  return column ? made.columns[*column].name : "none";
}

// "prefix index(key) value flags cas ttl", or the sentence of the error.
std::string shown(const Result<MappingPtr>& made) {
  if (!made) return made.error().message;
  const Mapping& mapping = **made;
  return mapping.prefix + ' ' + mapping.index + '(' + names(mapping, mapping.key) + ") " +
         names(mapping, mapping.value) + ' ' + name(mapping, mapping.flags) + ' ' +
         name(mapping, mapping.cas) + ' ' + name(mapping, mapping.ttl);
}

std::string shown(std::string_view comment) { return shown(mapping_of(comment)); }

TEST(MappingTest, EverythingCanBeSaid) {
  EXPECT_EQ(shown("hs: name=user key=user_id value=data flags=f cas=c ttl=expires_at sep=/"),
            "user/ PRIMARY(user_id) data f c expires_at");
  EXPECT_EQ(shown("hs: name=u key=part,user_id value=data,more ttl=small"),
            "u: both(part,user_id) data,more none none small");
  EXPECT_EQ(shown("hs: name=user key=USER_ID value=Data FLAGS=f"),
            "an unknown word in the comment: FLAGS=f");
  EXPECT_EQ(shown("hs: name=user key=USER_ID value=Data"),
            "user: PRIMARY(user_id) data none none none");
}

TEST(MappingTest, AnUpsertIsOneOfAllThatANewRowNeedsInTheOnlyUniqueIndex) {
  TableShape shape = table();
  EXPECT_FALSE((*mapping_of("", shape))->can_upsert({}));  // `both` and `some` are unique, too
  shape.indexes.resize(1);
  EXPECT_TRUE((*mapping_of("", shape))->can_upsert({}));
  shape.columns[2].has_no_default = true;
  const std::vector<Mapping::Position> other = {3}, needed = {3, 2};
  EXPECT_FALSE((*mapping_of("", shape))->can_upsert(other));
  EXPECT_TRUE((*mapping_of("", shape))->can_upsert(needed));
  shape.tells_duplicates = false;
  EXPECT_FALSE((*mapping_of("", shape))->can_upsert(needed));
}

TEST(MappingTest, WhatEndsDescendingIsNoOrder) {
  TableShape shape = table();
  shape.indexes = {{"PRIMARY", true, true, {"user_id", "part"}}};
  EXPECT_TRUE((*mapping_of("", shape))->is_ordered);
  shape.indexes[0].add_descending(0);
  EXPECT_TRUE((*mapping_of("", shape))->is_ordered);
  EXPECT_TRUE((*mapping_of("", shape))->key_begins_descending);
  shape.indexes[0].add_descending(1);
  EXPECT_FALSE((*mapping_of("", shape))->is_ordered);
  shape.indexes.push_back({"by_f", false, true, {"user_id", "f", "part"}});
  EXPECT_TRUE((*mapping_of("", shape))->is_ordered);
  shape.indexes.push_back(shape.indexes.back());
  EXPECT_FALSE((*mapping_of("", shape))->is_ordered);  // there are two
  shape.indexes.pop_back();
  shape.indexes[1].add_descending(1);
  EXPECT_FALSE((*mapping_of("", shape))->is_ordered);
}

TEST(MappingTest, WhatIsNotSaidTheTableSays) {
  EXPECT_EQ(shown(""),
            "test.user: PRIMARY(user_id) part,data,more,f,small,c,expires_at none none none");
  EXPECT_EQ(shown("hs: cas=c flags=f ttl=expires_at"),
            "test.user: PRIMARY(user_id) part,data,more,small f c expires_at");
  EXPECT_EQ(shown("hs: value=sum,hidden"), "test.user: PRIMARY(user_id) sum,hidden none none none");
  TableShape shape = table();
  shape.columns.resize(1);
  EXPECT_EQ(shown(mapping_of("", shape)), "test.user: PRIMARY(user_id)  none none none");
}

TEST(MappingTest, AKeyIsAUniqueIndexOfWholeColumns) {
  EXPECT_EQ(shown("hs: key=data"),
            "no unique index has just the columns of key=data in this order");
  EXPECT_EQ(shown("hs: key=more"),
            "no unique index has just the columns of key=more in this order");
  EXPECT_EQ(shown("hs: key=user_id,part"),
            "no unique index has just the columns of key=user_id,part in this order");
  TableShape shape = table();
  shape.indexes.erase(shape.indexes.begin());
  EXPECT_EQ(shown(mapping_of("", shape)), "there is no primary key, and no key=");
  Declaration declared;
  declared.index = "any";
  declared.key = {"more"};
  EXPECT_EQ(shown(make(declared, table())), "the index any is not unique on just the columns more");
}

TEST(MappingTest, AContradictionIsSaid) {
  EXPECT_EQ(shown("hs: value=nothing"), "value=nothing is no column");
  EXPECT_EQ(shown("hs: value=user_id"), "the column user_id is named twice");
  EXPECT_EQ(shown("hs: value=data,DATA"), "the column DATA is named twice");
  EXPECT_EQ(shown("hs: flags=f cas=c ttl=f"), "the column f is named twice");
  EXPECT_EQ(shown("hs: flags=small"), "flags=small is no integer column of 32 bits or more");
  EXPECT_EQ(shown("hs: flags=data"), "flags=data is no integer column of 32 bits or more");
  EXPECT_EQ(shown("hs: cas=f"), "cas=f is no integer column of 64 bits");
  EXPECT_EQ(shown("hs: ttl=data"), "ttl=data is no DATETIME, TIMESTAMP or integer column");
  EXPECT_EQ(shown("hs: sep=::"), "sep=:: is not one of the characters that may separate");
  for (const char* sep : {"hs: sep=.", "hs: sep=_", "hs: sep=a", "hs: sep=-"})
    EXPECT_TRUE(shown(sep).ends_with("may separate")) << sep;
  EXPECT_EQ(shown("hs: name=a.b"), "name=a.b has other characters than letters, digits, _ - $");
  EXPECT_EQ(shown("hs: name=a:b"), "name=a:b has other characters than letters, digits, _ - $");
}

std::string parts(const std::vector<Value>& values) {
  std::string all;
  for (const Value& value : values) all.append("[").append(value.text()).append("]");
  return all;
}

TEST(MappingTest, TheLastPartOfAKeyTakesAllTheRest) {
  std::vector<Value> values;
  const MappingPtr one = *mapping_of("hs: name=u");
  EXPECT_TRUE(split_key(*one, "1:2", &values));
  EXPECT_EQ(parts(values), "[1:2]");
  EXPECT_TRUE(split_key(*one, "", &values));
  EXPECT_EQ(parts(values), "[]");
  const MappingPtr two = *mapping_of("hs: name=u key=part,user_id sep=/");
  EXPECT_TRUE(split_key(*two, "a/1/2", &values));
  EXPECT_EQ(parts(values), "[a][1/2]");
  EXPECT_TRUE(split_key(*two, "/", &values));
  EXPECT_EQ(parts(values), "[][]");
  EXPECT_FALSE(split_key(*two, "a:1", &values));
  EXPECT_FALSE(split_key(*two, "", &values));
}

TEST(MappingTest, AValueHasOnePartForEachColumn) {
  std::vector<Value> values;
  const MappingPtr one = *mapping_of("hs: value=data");
  EXPECT_TRUE(split_value(*one, "a|b", &values));
  EXPECT_EQ(parts(values), "[a|b]");
  const MappingPtr two = *mapping_of("hs: value=data,more");
  EXPECT_TRUE(split_value(*two, "a|", &values));
  EXPECT_EQ(parts(values), "[a][]");
  EXPECT_FALSE(split_value(*two, "a", &values));
  EXPECT_FALSE(split_value(*two, "a|b|c", &values));
  EXPECT_FALSE(split_value(*two, "a|b|", &values));
}

}  // namespace
}  // namespace hs::mapping
