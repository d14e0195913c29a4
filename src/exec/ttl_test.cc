// Rows that have expired are absent for every command.
#include "testing/fixtures/exec_fixture.h"

namespace hs::exec {
namespace {

constexpr uint32_t kNoLimit = 0;

class TtlTest : public ExecTest {
 protected:
  void SetUp() override {
    fake.create_table(
        "test.s(id int, v int, e int null expires; PRIMARY(id); unique by_v(v); by_e(e))");
    for (const auto& row : std::vector<std::vector<std::optional<std::string>>>{
             {"1", "10", "100"}, {"2", "20", std::nullopt}, {"3", "30", "0"}, {"4", "40", "200"}}) {
      ASSERT_TRUE(fake.add_row("test", "s", row));
    }
    ASSERT_EQ(run(Ask::open(1, "s", "", "id,v", "v")), "ok");
    ASSERT_EQ(run(Ask::open(2, "s", "", "id,v,e")), "ok");
    ASSERT_EQ(run(Ask::open(3, "s", "by_e", "id")), "ok");
  }
};

TEST_F(TtlTest, ARowIsThereUntilItsMoment) {
  fake.set_now(99);
  EXPECT_EQ(run(Ask::find(1, "=", {"1"})), "rows 2: [1,10]");
  fake.set_now(100);
  EXPECT_EQ(run(Ask::find(1, "=", {"1"})), "rows 2:");
  EXPECT_EQ(run(Ask::find(1, ">", {"0"}, 9)), "rows 2: [2,20] [3,30] [4,40]");
  EXPECT_EQ(run(Ask::find(1, ">", {"0"}, 1, 1)), "rows 2: [3,30]");
  fake.set_now(200);
  EXPECT_EQ(run(Ask::find(1, "<", {"9"}, 9)), "rows 2: [3,30] [2,20]");
  EXPECT_EQ(run(Ask::find(1, ">", {"0"}, kNoLimit).count()), "count 2");
  EXPECT_EQ(run(Ask::find(3, "<=", {"200"}, kNoLimit).count()), "count 2");
  EXPECT_EQ(run(Ask::find(1, "=", {""}, 9).in(0, {"1", "2", "4"})), "rows 2: [2,20]");
  EXPECT_EQ(run(Ask::find(1, "=", {""}, 9).all_in(0, {"4", "3"})), "rows 2: [3,30]");
}

TEST_F(TtlTest, AChangeDoesNotFindIt) {
  fake.set_now(100);
  EXPECT_EQ(run(Ask::find(2, "=", {"1"}).update({"1", "11", nullptr})), "count 0");
  EXPECT_EQ(run(Ask::find(1, ">", {"0"}, 9).erase()), "count 3");
  EXPECT_EQ(fake.rows("test", "s"), Rows{"1,10,100"});
}

TEST_F(TtlTest, AnInsertTakesItsPlace) {
  fake.set_now(100);
  EXPECT_EQ(run(Ask::insert(2, {"1", "11", nullptr})), "ok");
  EXPECT_EQ(run(Ask::insert(2, {"5", "20", nullptr})), "error 121");
  EXPECT_EQ(fake.rows("test", "s"), (Rows{"2,20,NULL", "3,30,0", "4,40,200", "1,11,NULL"}));
  session->rollback();
  EXPECT_EQ(fake.rows("test", "s").size(), 4u);
}

TEST_F(TtlTest, ARowThatHasExpiredInEachUniqueIndexGivesWay) {
  fake.set_now(200);
  EXPECT_EQ(run(Ask::insert(2, {"1", "40", nullptr})), "ok");
  EXPECT_EQ(fake.rows("test", "s"), (Rows{"2,20,NULL", "3,30,0", "1,40,NULL"}));
}

TEST_F(TtlTest, AnInsertThatFailsAllTheSameLeavesIt) {
  fake.set_now(100);
  EXPECT_EQ(run(Ask::insert(2, {"1", "20", nullptr})), "error 121");
  EXPECT_EQ(fake.rows("test", "s").front(), "1,10,100");
}

TEST_F(TtlTest, AnUpdateTakesItsPlace) {
  fake.set_now(100);
  EXPECT_EQ(run(Ask::find(1, "=", {"2"}).update({"1", "10"})), "count 1");
  EXPECT_EQ(fake.rows("test", "s"), (Rows{"1,10,NULL", "3,30,0", "4,40,200"}));
}

TEST_F(TtlTest, AnUpsertThatUpdatesTakesItsPlace) {
  fake.set_now(100);
  EXPECT_EQ(run(Ask::upsert(2, {"2", "10", nullptr})), "count 2");
  EXPECT_EQ(fake.rows("test", "s"), (Rows{"2,10,NULL", "3,30,0", "4,40,200"}));
}

}  // namespace
}  // namespace hs::exec
