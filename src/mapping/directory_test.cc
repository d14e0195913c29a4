#include "mapping/directory.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace hs::mapping {
namespace {

std::vector<std::string> warnings;

// Tables that tests make and alter.
class SomeTables final : public Tables {
 public:
  void make(const TableName& name, std::string comment) {
    TableShape& made = tables_[name];
    made = {name.database, name.table, std::move(comment), ++definitions_, {}, {}};
    for (const char* column : {"id", "data"}) made.columns.emplace_back().name = column;
    made.indexes = {{"PRIMARY", true, true, {"id"}}};
    news_.changed.push_back(name);
  }
  void drop(const TableName& name) {
    tables_.erase(name);
    news_.gone.push_back(name);
  }
  void rename(const TableName& from, const TableName& to) {
    TableShape moved = tables_[from];
    moved.database = to.database;
    moved.table = to.table;
    drop(from);
    tables_[to] = moved;
    news_.changed.push_back(to);
  }
  TableShape& operator[](const TableName& name) { return tables_[name]; }

  Result<TableShape> shape(std::string_view database, std::string_view table) override {
    ++shapes;
    if (is_locked) return ErrorCode::kLockTables;
    const auto at = tables_.find({std::string(database), std::string(table)});
    Result<TableShape> seen = ErrorCode::kOpenTable;
    if (at != tables_.end()) seen = TableShape(at->second);
    if (const auto between = std::exchange(in_shape, {})) between();
    return seen;
  }
  bool sees(std::string_view, std::string_view table) override { return table != unseen; }
  void look_for_news(bool, TableNews& news) override {
    ++looks;
    news = std::exchange(news_, {});
  }

  int shapes = 0, looks = 0;
  bool is_locked = false;
  std::string unseen;
  std::function<void()> in_shape;  // once, behind the look at what is there

 private:
  std::map<TableName, TableShape> tables_;
  uint64_t definitions_ = 0;
  TableNews news_;
};

class DirectoryTest : public testing::Test {
 protected:
  DirectoryTest() { warnings.clear(); }

  // The prefix and the table that the key is of, "none", or the error.
  std::string find(std::string_view key) {
    Result<MappingPtr> found = directory_.find(key, tables_);
    if (!found && found.error().code != ErrorCode::kTableComment)
      return std::string(error_name(found.error().code));
    if (!found) return found.error().message;
    return shown(*found);
  }
  static std::string shown(const MappingPtr& found) {
    if (found == nullptr) return "none";
    return found->prefix + " " + found->table + " " + std::to_string(found->definition);
  }
  void contain(std::vector<Container> containers) {
    Containers made;
    made.all = std::move(containers);
    directory_.set_containers(std::move(made), tables_);
  }

  SomeTables tables_;
  Directory directory_{[](std::string_view warning) { warnings.emplace_back(warning); }};
};

const TableName kUser{"test", "user"};
const TableName kOther{"test", "other"};

TEST_F(DirectoryTest, ANameIsFoundAsSoonAsItsTableIsThere) {
  EXPECT_EQ(find("user:1"), "none");
  tables_.make(kUser, "hs: name=user");
  EXPECT_EQ(find("user:1"), "user: user 1");
  EXPECT_EQ(find("user/1"), "none");
  EXPECT_EQ(find("use:1"), "none");
  EXPECT_EQ(find("user"), "none");
}

TEST_F(DirectoryTest, WhatIsKnownAsksForNothing) {
  tables_.make(kUser, "hs: name=user");
  find("user:1");
  const int asked = tables_.shapes + tables_.looks;
  ASSERT_TRUE(directory_.find_known("user:2"));
  EXPECT_EQ(shown(*directory_.find_known("user:2")), "user: user 1");
  EXPECT_EQ(find("user:2"), "user: user 1");
  EXPECT_EQ(tables_.shapes + tables_.looks, asked);
  EXPECT_FALSE(directory_.find_known("unknown:2"));
}

TEST_F(DirectoryTest, ATableWithoutANameIsFoundByItsOwn) {
  tables_.make(kUser, "");
  EXPECT_FALSE(directory_.find_known("test.user:1"));
  EXPECT_EQ(find("test.user:1"), "test.user: user 1");
  EXPECT_EQ(find("test.nothing:1"), "none");
  EXPECT_EQ(find("test.user/1"), "none");
  tables_.make(kOther, "hs: ttl=data sep=/");
  EXPECT_EQ(find("test.other/1"), "ttl=data is no DATETIME, TIMESTAMP or integer column");
}

TEST_F(DirectoryTest, ATableWithANameIsFoundByThatAlone) {
  tables_.make(kUser, "hs: name=user");
  EXPECT_EQ(find("test.user:1"), "none");
}

TEST_F(DirectoryTest, WhatIsStaleIsForgottenAndFoundAnew) {
  tables_.make(kUser, "hs: name=user");
  const MappingPtr first = *directory_.find("user:1", tables_);
  tables_[kUser].definition = 9;
  EXPECT_EQ(find("user:1"), "user: user 1");
  const uint64_t version = directory_.version();
  directory_.forget(*first);
  EXPECT_NE(directory_.version(), version);
  EXPECT_EQ(find("user:1"), "user: user 9");
  // It is not of the present table.
  const uint64_t present = directory_.version();
  directory_.forget(*first);
  EXPECT_EQ(directory_.version(), present);
}

TEST_F(DirectoryTest, AnAlteredRenamedOrDroppedTableIsFollowed) {
  tables_.make(kUser, "hs: name=user");
  EXPECT_EQ(find("user:1"), "user: user 1");
  tables_.make(kUser, "hs: name=person");
  directory_.refresh(tables_, false);
  EXPECT_EQ(find("user:1"), "none");
  EXPECT_EQ(find("person:1"), "person: user 2");
  tables_.rename(kUser, kOther);
  directory_.refresh(tables_, false);
  EXPECT_EQ(find("person:1"), "person: other 2");
  tables_.make(kOther, "no words");
  directory_.refresh(tables_, false);
  EXPECT_EQ(find("person:1"), "none");
  tables_.drop(kOther);
  directory_.refresh(tables_, false);
  EXPECT_EQ(find("test.other:1"), "none");
}

TEST_F(DirectoryTest, ANameOfTwoTablesIsOfNeither) {
  tables_.make(kUser, "hs: name=user");
  tables_.make(kOther, "hs: name=user");
  EXPECT_EQ(find("user:1"), "more than one table has name=user");
  EXPECT_TRUE(directory_.list().empty());
  tables_.drop(kOther);
  directory_.refresh(tables_, false);
  EXPECT_EQ(find("user:1"), "user: user 1");
  EXPECT_EQ(directory_.list().size(), 1U);
}

TEST_F(DirectoryTest, AMistakeIsSaidOnceInTheLogAndInEachAnswer) {
  tables_.make(kUser, "hs: name=user value=nothing");
  EXPECT_EQ(find("user:1"), "value=nothing is no column");
  EXPECT_EQ(find("user:2"), "value=nothing is no column");
  EXPECT_EQ(warnings,
            std::vector<std::string>{"the comment of test.user: value=nothing is no column"});
}

TEST_F(DirectoryTest, AMistakeThatIsPutRightIsNoneAtOnce) {
  tables_.make(kUser, "hs: name=user value=nothing");
  EXPECT_EQ(find("user:1"), "value=nothing is no column");
  tables_.make(kUser, "hs: name=user value=data");
  EXPECT_EQ(find("user:1"), "user: user 2");
  tables_.make(kUser, "hs: name=user value=nothing");
  directory_.refresh(tables_, false);
  tables_.drop(kUser);
  EXPECT_EQ(find("user:1"), "none");
}

TEST_F(DirectoryTest, WhatTheAccountDoesNotSeeIsNotThere) {
  tables_.make(kUser, "hs: name=user value=nothing");
  tables_.unseen = "user";
  EXPECT_EQ(find("user:1"), "none");
}

TEST_F(DirectoryTest, ALockedTableIsWaitedForByTheCaller) {
  tables_.make(kUser, "hs: name=user");
  tables_.is_locked = true;
  EXPECT_EQ(find("user:1"), "LockTables");
  EXPECT_EQ(find("test.other:1"), "LockTables");
  tables_.is_locked = false;
  EXPECT_EQ(find("user:1"), "user: user 1");
}

TEST_F(DirectoryTest, ContainersAreFoundByTheirMark) {
  tables_.make(kUser, "");
  contain({{"aaa", "test", "user", {}}, {"bbb", "test", "nothing", {}}});
  EXPECT_EQ(find("@@aaa.1"), "@@aaa. user 1");
  EXPECT_EQ(find("@@aaa"), "@@aaa. user 1");
  EXPECT_EQ(find("@@ccc.1"), "none");
  EXPECT_EQ(find("@@bbb.1"), "the table of the container bbb cannot be opened");
  // Of no container: the first by its name.
  EXPECT_EQ(find("1"), " user 1");
  EXPECT_EQ(find("a:1"), " user 1");
  tables_.make(kOther, "hs: name=a");
  directory_.refresh(tables_, false);
  EXPECT_EQ(find("a:1"), "a: other 2");
}

TEST_F(DirectoryTest, TheContainerNamedDefaultIsForKeysWithoutMark) {
  tables_.make(kUser, "");
  tables_.make(kOther, "");
  contain({{"aaa", "test", "user", {}}, {"default", "test", "other", {}}});
  EXPECT_EQ(find("1"), " other 2");
  contain({});
  EXPECT_EQ(find("1"), "none");
  EXPECT_EQ(find("@@aaa.1"), "none");
}

TEST_F(DirectoryTest, AContainersTableIsFollowed) {
  tables_.make(kUser, "");
  Declaration declared;
  declared.ttl = "x";
  contain({{"aaa", "test", "user", declared}});
  EXPECT_EQ(find("@@aaa.1"), "the container aaa: ttl=x is no column");
  EXPECT_EQ(directory_.ttl_of_container("test", "user"), "x");
  EXPECT_EQ(directory_.ttl_of_container("test", "other"), "");
  contain({{"aaa", "test", "user", {}}});
  const MappingPtr first = *directory_.find("@@aaa.1", tables_);
  tables_[kUser].definition = 9;
  directory_.forget(*first);
  EXPECT_FALSE(directory_.find_known("@@aaa.1"));
  EXPECT_FALSE(directory_.find_known("1"));
  EXPECT_EQ(find("1"), " user 9");
  EXPECT_EQ(find("@@aaa.1"), "@@aaa. user 9");
}

// CREATE OR REPLACE: one thread sees that the table is gone, and another one then that it is there.
TEST_F(DirectoryTest, ALookThatIsOvertakenSaysNothing) {
  tables_.make(kUser, "hs: name=user");
  EXPECT_EQ(find("user:1"), "user: user 1");
  tables_.drop(kUser);
  directory_.refresh(tables_, true);
  tables_.make(kUser, "hs: name=user");
  tables_.drop(kUser);
  tables_.in_shape = [&] {
    tables_.make(kUser, "hs: name=user");
    EXPECT_EQ(find("user:1"), "user: user 3");
  };
  directory_.refresh(tables_, true);
  EXPECT_EQ(find("user:1"), "user: user 3");
}

// No news tells of a table without a comment, but of the one that had its name before.
TEST_F(DirectoryTest, ATableThatWasWrongAndIsMadeAnewIsLookedAt) {
  tables_.make(kUser, "");
  TableShape anew = tables_[kUser];
  tables_[kUser].indexes.clear();
  EXPECT_NE(find("test.user:1").find("no primary key"), std::string::npos);
  tables_.drop(kUser);
  tables_[kUser] = anew;
  EXPECT_EQ(find("test.user:1"), "test.user: user 1");
}

TEST_F(DirectoryTest, ATableThatGoesWhileItIsLookedAtIsGone) {
  tables_.make(kUser, "hs: name=user");
  TableNews seen;
  tables_.look_for_news(true, seen);
  tables_.in_shape = [&] {
    tables_.drop(kUser);
    directory_.refresh(tables_, true);
  };
  EXPECT_EQ(find("test.user:1"), "none");
  EXPECT_TRUE(directory_.list().empty());
  tables_.make(kOther, "hs: name=user");
  EXPECT_EQ(find("user:1"), "user: other 2");
}

// Of what is altered without the news of it, as in the first second after it.
TEST_F(DirectoryTest, ATableIsFoundByItsOwnAsSoonAsItsNameIsTakenAway) {
  tables_.make(kUser, "hs: name=user");
  EXPECT_EQ(find("user:1"), "user: user 1");
  tables_[kUser].comment = "";
  EXPECT_FALSE(directory_.find_known("test.user:1"));
  EXPECT_EQ(find("test.user:1"), "test.user: user 1");
  EXPECT_TRUE(directory_.find_known("test.user:1"));
}

TEST_F(DirectoryTest, ASeparatorIsFollowedAtOnce) {
  tables_.make(kUser, "hs: name=user");
  tables_.make(kOther, "");
  EXPECT_EQ(find("user:1"), "user: user 1");
  EXPECT_EQ(find("test.other:1"), "test.other: other 2");
  tables_[kUser].comment = "hs: name=user sep=/";
  tables_[kOther].comment = "hs: sep=/";
  EXPECT_EQ(find("user/1"), "user/ user 1");
  EXPECT_EQ(find("test.other/1"), "test.other/ other 2");
  EXPECT_EQ(find("user:1"), "none");
}

TEST_F(DirectoryTest, WhatIsWrongIsLookedAtAnewWithoutNewsOfIt) {
  tables_.make(kUser, "");
  tables_[kUser].indexes.clear();
  EXPECT_EQ(find("test.user:1"), "there is no primary key, and no key=");
  tables_[kUser].indexes = {{"PRIMARY", true, true, {"id"}}};
  EXPECT_EQ(find("test.user:1"), "test.user: user 1");
  tables_.make(kUser, "hs: name=user");
  tables_.make(kOther, "hs: name=user");
  EXPECT_EQ(find("user:1"), "more than one table has name=user");
  tables_[kOther].comment = "hs: name=other";
  EXPECT_EQ(find("user:1"), "user: user 2");
}

TEST_F(DirectoryTest, AKeyWithADotIsOfTheStandardContainerIfItIsOfNoTable) {
  tables_.make(kUser, "");
  tables_.make(kOther, "hs: name=other");
  contain({{"default", "test", "user", {}}});
  EXPECT_EQ(find("some.thing:1"), " user 1");
  EXPECT_EQ(find("test.other:1"), " user 1");
  EXPECT_EQ(find("other/1"), " user 1");
  directory_.forget(**directory_.find("1", tables_));
  EXPECT_EQ(find("some.thing:1"), " user 1");
}

TEST_F(DirectoryTest, AContainersTableMayGoAndComeBack) {
  tables_.make(kUser, "");
  contain({{"aaa", "test", "user", {}}});
  const MappingPtr first = *directory_.find("@@aaa.1", tables_);
  tables_.drop(kUser);
  directory_.forget(*first);
  EXPECT_EQ(find("@@aaa.1"), "the table of the container aaa cannot be opened");
  tables_.unseen = "user";
  EXPECT_EQ(find("@@aaa.1"), "none");
  tables_.unseen.clear();
  tables_.make(kUser, "");
  tables_.is_locked = true;
  EXPECT_EQ(find("@@aaa.1"), "LockTables");
  tables_.is_locked = false;
  EXPECT_EQ(find("@@aaa.1"), "@@aaa. user 2");
}

}  // namespace
}  // namespace hs::mapping
