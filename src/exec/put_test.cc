// +I, +U and +R, and what they and other changes return.
#include "exec/insert.h"
#include "testing/fixtures/exec_fixture.h"

namespace hs::exec {
namespace {

using hs::testing::Call;
using protocol::OnDuplicate;

class PutTest : public ExecTest {
 protected:
  void SetUp() override {
    fake.create_table(
        "test.log(id int auto_increment, key text, text text null; PRIMARY(id); unique k(key))");
    add_people();
    ASSERT_EQ(run(Ask::open(1, "user", "", "id,name,age,city")), "ok");
    ASSERT_EQ(run(Ask::open(2, "log", "", "key,text,id")), "ok");
    ASSERT_EQ(run(Ask::open(3, "user", "", "age,id,name")), "ok");
  }

  static Ask ignore(uint32_t id, Ask::Texts row) { return Ask::put(id, OnDuplicate::kIgnore, row); }
  static Ask replace(uint32_t id, Ask::Texts row) {
    return Ask::put(id, OnDuplicate::kReplace, row);
  }
};

TEST_F(PutTest, ARowThatIsNewIsAdded) {
  EXPECT_EQ(run(ignore(1, {"6", "fay"})), "count 1");
  EXPECT_EQ(run(Ask::upsert(1, {"7", "gil"})), "count 1");
  EXPECT_EQ(run(replace(1, {"8", "hal"})), "count 1");
  EXPECT_EQ(users().size(), 8u);
  EXPECT_EQ(users()[7], "8,hal,NULL,nowhere");
}

TEST_F(PutTest, IgnoreForgivesADuplicateInAnyUniqueIndexAndNothingElse) {
  EXPECT_EQ(run(ignore(1, {"1", "new"})), "count 0");
  EXPECT_EQ(run(ignore(1, {"6", "ada"})), "count 0");
  EXPECT_EQ(run(ignore(1, {nullptr, "new"})), "error sql_1048 Column 'id' cannot be null");
  EXPECT_EQ(users(), kPeople);
}

TEST_F(PutTest, UpsertGivesTheRowThatIsThereTheValuesOfTheNewOne) {
  EXPECT_EQ(run(Ask::upsert(1, {"1", "ida", "11"})), "count 2");
  EXPECT_EQ(users()[0], "1,ida,11,a");
  EXPECT_EQ(run(Ask::upsert(1, {"1", "ida", "11"})), "count 0");
  EXPECT_EQ(run(Ask::upsert(3, {"12", "9", "ida"})), "count 2");
  EXPECT_EQ(users()[0], "9,ida,12,a");
}

TEST_F(PutTest, UpsertGivesItTheSecondListOfValuesInstead) {
  EXPECT_EQ(run(Ask::upsert(3, {"1", "2", "x"}).with({"21"})), "count 2");
  EXPECT_EQ(users()[1], "2,bob,21,a");
  EXPECT_EQ(run(Ask::upsert(3, {"1", "2", "x"}).with({"21"})), "count 0");
  EXPECT_EQ(run(Ask::upsert(3, {"1", "2", "x"}).with({})), "count 0");
  EXPECT_EQ(run(Ask::upsert(3, {"1", "6", "x"}).with({"21"})), "count 1");
  EXPECT_EQ(users()[1], "2,bob,21,a");
  EXPECT_EQ(users()[5], "6,x,1,nowhere");
}

TEST_F(PutTest, MoreValuesThanColumnsAreRefusedInBothLists) {
  EXPECT_EQ(run(Ask::upsert(3, {"1", "2", "x", "y"})), "error fldnum");
  EXPECT_EQ(run(Ask::upsert(3, {"1"}).with({"1", "2", "x", "y"})), "error fldnum");
  EXPECT_EQ(users(), kPeople);
}

TEST_F(PutTest, AnUpdateThatMeetsAnotherRowFailsAndLeavesNothing) {
  EXPECT_EQ(run(Ask::upsert(1, {"1", "bob"})), "error 121");
  EXPECT_EQ(run(Ask::upsert(1, {"1", "ada"}).with({"1", "bob"})), "error 121");
  EXPECT_EQ(users(), kPeople);
}

TEST_F(PutTest, ReplaceTakesThePlaceOfEveryRowInItsWay) {
  EXPECT_EQ(run(replace(1, {"1", "ida"})), "count 2");
  EXPECT_EQ(users().back(), "1,ida,NULL,nowhere");
  EXPECT_EQ(run(replace(1, {"2", "cyd", "1"})), "count 3");
  EXPECT_EQ(users(), (Rows{"4,dan,NULL,b", "5,eve,30,c", "1,ida,NULL,nowhere", "2,cyd,1,nowhere"}));
  session->rollback();
  EXPECT_EQ(users(), kPeople);
}

TEST_F(PutTest, TheGeneratedIdStandsBehindTheOutcome) {
  EXPECT_EQ(run(ignore(2, {"a", "1"})), "rows 2: [1,1]");
  EXPECT_EQ(run(ignore(2, {"a", "2"})), "rows 2: [0,0]");
  EXPECT_EQ(run(Ask::upsert(2, {"b", "1"})), "rows 2: [1,2]");
  EXPECT_EQ(run(Ask::upsert(2, {"a", "3"})), "rows 2: [2,1]");
  EXPECT_EQ(run(Ask::upsert(2, {"a", "3"})), "rows 2: [0,0]");
  EXPECT_EQ(run(Ask::upsert(2, {"c", "1", "9"})), "rows 2: [1,0]");
  EXPECT_EQ(run(replace(2, {"a", "4"})), "rows 2: [2,10]");
}

TEST_F(PutTest, AnIdThatWasToBeGeneratedIsNoNewValueOfTheRowThatIsThere) {
  EXPECT_EQ(run(Ask::upsert(2, {"a", "1", nullptr})), "rows 2: [1,1]");
  EXPECT_EQ(run(Ask::upsert(2, {"a", "2", nullptr})), "rows 2: [2,1]");
  EXPECT_EQ(run(Ask::upsert(2, {"a", "3", "0"})), "rows 2: [2,1]");
  EXPECT_EQ(run(Ask::upsert(2, {"a", "3", "7"})), "rows 2: [2,7]");
  EXPECT_EQ(fake.rows("test", "log"), Rows{"7,a,3"});
}

TEST_F(PutTest, TheRowAfterwardsHasItsDefaultsAndItsId) {
  EXPECT_EQ(run(Ask::insert(1, {"6", "fay"}).returning_new()), "rows 4: [6,fay,NULL,nowhere]");
  EXPECT_EQ(run(Ask::insert(2, {"a"}).returning_new()), "rows 3: [a,NULL,1]");
  EXPECT_EQ(run(Ask::upsert(2, {"a", "1"}).returning_new()), "rows 3: [a,1,1]");
  EXPECT_EQ(run(Ask::upsert(2, {"a", "1"}).returning_new()), "rows 3: [a,1,1]");
  EXPECT_EQ(run(ignore(2, {"b", "1"}).returning_new()), "rows 3: [b,1,2]");
  EXPECT_EQ(run(ignore(2, {"b", "1"}).returning_new()), "rows 3:");
  EXPECT_EQ(run(replace(2, {"b", "2"}).returning_new()), "rows 3: [b,2,3]");
}

TEST_F(PutTest, TheRowsBeforeAreThoseInTheWay) {
  EXPECT_EQ(run(ignore(1, {"1", "x"}).returning_old()), "rows 4: [1,ada,10,a]");
  EXPECT_EQ(run(Ask::upsert(1, {"2", "x"}).returning_old()), "rows 4: [2,bob,20,a]");
  EXPECT_EQ(run(Ask::upsert(1, {"6", "fay"}).returning_old()), "rows 4:");
  EXPECT_EQ(run(replace(1, {"1", "eve"}).returning_old()), "rows 4: [1,ada,10,a] [5,eve,30,c]");
  EXPECT_EQ(run(replace(1, {"7", "gil"}).returning_old()), "rows 4:");
}

TEST_F(PutTest, AChangeReturnsTheRowsAsTheyAreAfterwards) {
  EXPECT_EQ(run(Ask::find(1, ">=", {"4"}, 9).update({"4", "x", "1", "y"})), "error 121");
  ASSERT_EQ(run(Ask::open(4, "user", "", "age,id")), "ok");
  ASSERT_EQ(run(Ask::open(5, "user", "", "age")), "ok");
  EXPECT_EQ(run(Ask::find(5, ">=", {"4"}, 9).update({"7"}).returning_new()), "rows 1: [7] [7]");
  EXPECT_EQ(run(Ask::find(5, ">=", {"4"}, 9).update({"7"}).returning_new()), "rows 1: [7] [7]");
  EXPECT_EQ(run(Ask::find(5, "=", {"9"}).update({"7"}).returning_new()), "rows 1:");
  const auto count = [&](Modification how, Ask::Texts amounts) {
    return run(Ask::find(4, "=", {"1"}).modify(how, amounts).returning_new());
  };
  EXPECT_EQ(count(Modification::kIncrement, {"5", "0"}), "rows 2: [15,1]");
  EXPECT_EQ(count(Modification::kIncrement, {nullptr, nullptr}), "rows 2: [15,1]");
  EXPECT_EQ(count(Modification::kDecrement, {"4", "0"}), "rows 2: [11,1]");
  EXPECT_EQ(count(Modification::kDecrement, {"40", "0"}), "rows 2: [11,1]");
}

TEST_F(PutTest, ErrorsOfTheEngineLeaveNothing) {
  for (Call call : {Call::kCursor, Call::kBeginRequest, Call::kInsert, Call::kEndRequest}) {
    for (const OnDuplicate what :
         {OnDuplicate::kIgnore, OnDuplicate::kUpdate, OnDuplicate::kReplace}) {
      engine.fail(call, 1, Error::engine(146));
      EXPECT_EQ(run(Ask::put(1, what, {"1", "new"}).returning_old()), "error 146");
      EXPECT_EQ(users(), kPeople);
      EXPECT_FALSE(session->has_uncommitted_changes());
    }
  }
  engine.fail(Call::kRow, 1, Error::engine(128));
  EXPECT_EQ(run(replace(1, {"1", "new"}).returning_new()), "error 128");
  EXPECT_EQ(users(), kPeople);
}

TEST_F(PutTest, AReplyThatIsTooLongLeavesNothing) {
  reply.max_rows = 1;
  EXPECT_EQ(run(replace(1, {"1", "eve"}).returning_old()), "error reply_too_long");
  EXPECT_EQ(users(), kPeople);
}

TEST_F(PutTest, IsRefusedOnTheReadPort) {
  use(engine::Mode::kReadOnly);
  EXPECT_EQ(run(Ask::upsert(1, {"1"})), "error readonly");
}

}  // namespace
}  // namespace hs::exec
