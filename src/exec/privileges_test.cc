#include "exec/privileges.h"

#include "exec/login.h"
#include "testing/fixtures/exec_fixture.h"

namespace hs::exec {
namespace {

using engine::Rights;

class PrivilegesTest : public ExecTest {
 protected:
  PrivilegesTest() {
    add_people();
    authentication.account = true;
    fake.create_account("ada", "secret");
    const Ask ask = Ask::login(protocol::AuthMethod::kPassword, "ada", "secret");
    begin_login(ask.request(), Channel{-1, nullptr, true, false}, client);
    client.login()->carry_out(engine, nullptr);
    EXPECT_EQ(run(ask), "ok");
  }

  void may(const Rights& rights) { fake.grant("ada", "test.user", rights); }
  // Opens id, name, age over the index (city, age), with the filter columns name, city.
  std::string open() {
    return run(Ask::open(1, "user", "by_city_age", "id,name,age", "name,city"));
  }
};

constexpr const char* kForTable = "error access_denied 1142";
constexpr const char* kForColumn = "error access_denied 1143";

TEST_F(PrivilegesTest, ATableThatTheAccountMayNotSeeIsNotThere) {
  EXPECT_EQ(run(Ask::open(1, "user", "", "id")), "error open_table");
  EXPECT_EQ(run(Ask::open(1, "nosuch", "", "id")), "error open_table");
}

TEST_F(PrivilegesTest, OnTheWritePortATableThatIsSeenCanBeOpened) {
  may({.selects = false, .updates = false, .deletes = false});
  EXPECT_EQ(open(), "ok");
  may({.selects = false, .inserts = false, .updates = false, .deletes = false});
  EXPECT_EQ(open(), kForTable);
}

TEST_F(PrivilegesTest, OnTheReadPortEveryOpenedColumnMustBeReadable) {
  use(engine::Mode::kReadOnly);
  may({.selects = false});
  EXPECT_EQ(open(), kForTable);
  may({.select_columns = 2});
  EXPECT_EQ(open(), kForColumn);
  may({.select_filters = 1});
  EXPECT_EQ(open(), kForColumn);
  may({.select_key = 0});
  EXPECT_EQ(open(), kForColumn);
  may({.select_columns = 3, .select_filters = 2, .select_key = 1});
  EXPECT_EQ(open(), "ok");
}

TEST_F(PrivilegesTest, AFindNeedsWhatItReturnsSearchesAndFilters) {
  may({});
  ASSERT_EQ(open(), "ok");
  const auto find = [&] { return run(Ask::find(1, "=", {"a", "10"})); };
  EXPECT_EQ(find(), "rows 3: [1,ada,10]");
  may({.selects = false});
  EXPECT_EQ(find(), kForTable);
  may({.select_columns = 2});
  EXPECT_EQ(find(), kForColumn);
  may({.select_key = 1});
  EXPECT_EQ(find(), kForColumn);
  EXPECT_EQ(run(Ask::find(1, "=", {"a"})), "rows 3: [1,ada,10]");
  may({.select_filters = 1});
  EXPECT_EQ(find(), "rows 3: [1,ada,10]");
  EXPECT_EQ(run(Ask::find(1, "=", {"a"}).skip_unless(1, "=", "a")), kForColumn);
  EXPECT_EQ(run(Ask::find(1, "=", {"a"}).skip_unless(0, "=", "ada")), "rows 3: [1,ada,10]");
}

TEST_F(PrivilegesTest, AnInsertNeedsTheColumnsThatItGives) {
  may({.selects = false, .updates = false, .deletes = false, .insert_columns = 2});
  ASSERT_EQ(run(Ask::open(1, "user", "", "id,name,age")), "ok");
  EXPECT_EQ(run(Ask::insert(1, {"6", "fay"})), "ok");
  EXPECT_EQ(run(Ask::insert(1, {"7", "gil", "1"})), kForColumn);
  may({.inserts = false});
  EXPECT_EQ(run(Ask::insert(1, {"7"})), kForTable);
}

TEST_F(PrivilegesTest, AnUpsertMustBeAllowedToInsertAndToUpdate) {
  may({});
  ASSERT_EQ(run(Ask::open(1, "user", "", "id,name,age")), "ok");
  const auto upsert = [&] { return run(Ask::upsert(1, {"1", "ada", "10"})); };
  const auto upsert_of_two = [&] {
    return run(Ask::upsert(1, {"1", "ada", "10"}).with({"1", "ada"}));
  };
  may({.deletes = false});
  EXPECT_EQ(upsert(), "count 0");
  may({.updates = false});
  EXPECT_EQ(upsert(), kForTable);
  may({.inserts = false});
  EXPECT_EQ(upsert(), kForTable);
  may({.insert_columns = 2});
  EXPECT_EQ(upsert(), kForColumn);
  may({.update_columns = 2});
  EXPECT_EQ(upsert(), kForColumn);
  EXPECT_EQ(upsert_of_two(), kForColumn);
  EXPECT_EQ(run(Ask::upsert(1, {"1", "ada"}).with({"1", "ada", "10"})), kForColumn);
  EXPECT_EQ(run(Ask::upsert(1, {"1", "ada"})), "count 0");
  // Its reply tells whether the row had the new values already.
  may({.select_columns = 2});
  EXPECT_EQ(upsert(), kForColumn);
  EXPECT_EQ(upsert_of_two(), "count 0");
}

TEST_F(PrivilegesTest, AReplaceMustBeAllowedToInsertAndToDelete) {
  may({});
  ASSERT_EQ(run(Ask::open(1, "user", "", "id,name")), "ok");
  const auto put = [&](protocol::OnDuplicate what) { return run(Ask::put(1, what, {"1", "x"})); };
  may({.deletes = false});
  EXPECT_EQ(put(protocol::OnDuplicate::kReplace), kForTable);
  EXPECT_EQ(put(protocol::OnDuplicate::kIgnore), "count 0");
  may({.selects = false, .updates = false, .select_columns = 0});
  EXPECT_EQ(put(protocol::OnDuplicate::kReplace), "count 2");
}

TEST_F(PrivilegesTest, ToReturnARowIsToReadIt) {
  may({});
  ASSERT_EQ(run(Ask::open(1, "user", "", "id,name")), "ok");
  may({.select_columns = 1});
  EXPECT_EQ(run(Ask::insert(1, {"6"}).returning_new()), kForColumn);
  EXPECT_EQ(run(Ask::upsert(1, {"6"}).returning_new()), kForColumn);
  EXPECT_EQ(run(Ask::upsert(1, {"6"}).returning_old()), kForColumn);
  EXPECT_EQ(run(Ask::find(1, "=", {"1"}).update({"1", "x"}).returning_new()), kForColumn);
  // SQL asks for the right to insert what RETURNING names.
  may({.insert_columns = 1});
  EXPECT_EQ(run(Ask::insert(1, {"6"}).returning_new()), kForColumn);
  EXPECT_EQ(run(Ask::upsert(1, {"1"}).returning_new()), kForColumn);
  EXPECT_EQ(run(Ask::upsert(1, {"1"})), "count 0");
}

TEST_F(PrivilegesTest, AnUpdateNeedsTheColumnsThatItSetsAndThoseThatItReads) {
  may({});
  ASSERT_EQ(run(Ask::open(1, "user", "", "age,name", "city")), "ok");
  const auto update = [&] { return run(Ask::find(1, "=", {"1"}).update({"11", "ida"})); };
  const auto count = [&] {
    return run(Ask::find(1, "=", {"1"}).modify(Modification::kIncrement, {"1"}));
  };
  may({.updates = false});
  EXPECT_EQ(update(), kForTable);
  may({.update_columns = 1});
  EXPECT_EQ(update(), kForColumn);
  may({.select_key = 0});
  EXPECT_EQ(update(), kForColumn);
  // To set a value is not to read it.
  may({.select_columns = 0});
  EXPECT_EQ(update(), "count 1");
  EXPECT_EQ(count(), kForColumn);
  EXPECT_EQ(run(Ask::find(1, "=", {"1"}).update({"11", "ida"}).returning_old()), kForColumn);
}

TEST_F(PrivilegesTest, ADeleteNeedsThePrivilegeAndWhatItSearches) {
  may({});
  ASSERT_EQ(run(Ask::open(1, "user", "", "id", "city")), "ok");
  may({.deletes = false});
  EXPECT_EQ(run(Ask::find(1, "=", {"1"}).erase()), kForTable);
  may({.select_key = 0});
  EXPECT_EQ(run(Ask::find(1, "=", {"1"}).erase()), kForColumn);
  may({.select_columns = 0});
  EXPECT_EQ(run(Ask::find(1, "=", {"1"}).erase().returning_old()), kForColumn);
  EXPECT_EQ(run(Ask::find(1, "=", {"1"}).erase()), "count 1");
}

TEST_F(PrivilegesTest, WhatIsTakenAwayIsDeniedToAnIndexThatIsOpen) {
  may({});
  ASSERT_EQ(open(), "ok");
  Rights none;
  none.sees = false;
  may(none);
  EXPECT_EQ(run(Ask::find(1, "=", {"a"})), "error open_table");
}

TEST_F(PrivilegesTest, RequestsOfSeveralAccountsOnOneSessionDoNotMix) {
  may({});
  Client other(pool, kNoAuthentication);  // without accounts nothing is denied
  ASSERT_EQ(run(Ask::open(1, "user", "", "id")), "ok");
  ASSERT_EQ(run(Ask::open(1, "user", "", "id"), other), "ok");
  may({.deletes = false});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(run(Ask::find(1, "=", {"9"}).erase()), kForTable);
    EXPECT_EQ(run(Ask::find(1, "=", {"9"}).erase(), other), "count 0");
  }
}

}  // namespace
}  // namespace hs::exec
