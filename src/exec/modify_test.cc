#include "exec/modify.h"

#include "testing/fixtures/exec_fixture.h"

namespace hs::exec {
namespace {

using hs::testing::Call;

class ModifyTest : public ExecTest {
 protected:
  void SetUp() override {
    add_people();
    ASSERT_EQ(run(Ask::open(1, "user", "", "age")), "ok");
    ASSERT_EQ(run(Ask::open(2, "user", "by_age", "age")), "ok");
    ASSERT_EQ(run(Ask::open(3, "user", "by_age", "id,age", "city")), "ok");
    ASSERT_EQ(run(Ask::open(4, "user", "", "id")), "ok");
    ASSERT_EQ(run(Ask::open(5, "user", "by_age", "name")), "ok");
  }
};

TEST_F(ModifyTest, UpdateSetsTheOpenedColumnsAndCountsTheRows) {
  EXPECT_EQ(run(Ask::find(1, "=", {"2"}).update({"99"})), "count 1");
  EXPECT_EQ(run(Ask::find(1, "=", {"3"}).update({nullptr})), "count 1");
  EXPECT_EQ(users(),
            (Rows{"1,ada,10,a", "2,bob,99,a", "3,cyd,NULL,b", "4,dan,NULL,b", "5,eve,30,c"}));
}

TEST_F(ModifyTest, CountsMatchedRowsEvenWhenNothingChanges) {
  EXPECT_EQ(run(Ask::find(1, "=", {"2"}).update({"20"})), "count 1");
  EXPECT_EQ(run(Ask::find(1, "=", {"9"}).update({"20"})), "count 0");
  EXPECT_EQ(run(Ask::find(1, "=", {"9"}).erase()), "count 0");
}

TEST_F(ModifyTest, UpdateNeedsExactlyOneValueForEachColumn) {
  EXPECT_EQ(run(Ask::find(3, "=", {"20"}).update({})), "error missing_value");
  EXPECT_EQ(run(Ask::find(3, "=", {"20"}).update({"1"})), "error missing_value");
  EXPECT_EQ(run(Ask::find(3, "=", {"20"}).update({"1", "2", "3"})), "error fldnum");
  EXPECT_EQ(users(), kPeople);
}

TEST_F(ModifyTest, OneEmptyValueBehindTheLastIsNone) {
  EXPECT_EQ(run(Ask::find(3, "=", {"20"}).update({"7", "70", ""})), "error fldnum");
  EXPECT_EQ(run(Ask::find(3, "=", {"20"}).update({"7", "70", ""}).with_optional_end()), "count 1");
  EXPECT_EQ(run(Ask::find(3, "=", {"20"}).update({"8", "80", "", ""}).with_optional_end()),
            "error fldnum");
  EXPECT_EQ(run(Ask::find(3, "=", {"20"}).update({"8", "80", nullptr})), "error fldnum");
  EXPECT_EQ(run(Ask::find(3, "=", {"20"}).update({"8", "80", " "})), "error fldnum");
  EXPECT_EQ(run(Ask::find(5, "=", {"30"}).update({""})), "count 1");
  EXPECT_EQ(users(), (Rows{"1,ada,10,a", "7,bob,70,a", "3,cyd,20,b", "4,dan,NULL,b", "5,,30,c"}));
}

TEST_F(ModifyTest, ARangeUpdateNeverMeetsItsOwnChanges) {
  EXPECT_EQ(run(Ask::find(2, ">", {"0"}, 100).update({"25"})), "count 4");
  EXPECT_EQ(users(),
            (Rows{"1,ada,25,a", "2,bob,25,a", "3,cyd,25,b", "4,dan,NULL,b", "5,eve,25,c"}));
}

TEST_F(ModifyTest, ADescendingUpdateNeverMeetsItsOwnChanges) {
  EXPECT_EQ(run(Ask::find(2, "<=", {"30"}, 4).update({"5"})), "count 4");
  EXPECT_EQ(users(), (Rows{"1,ada,5,a", "2,bob,5,a", "3,cyd,5,b", "4,dan,NULL,b", "5,eve,5,c"}));
}

TEST_F(ModifyTest, OffsetAndLimitChooseTheRows) {
  EXPECT_EQ(run(Ask::find(2, ">", {nullptr}, 2, 1).update({"7"})), "count 2");
  EXPECT_EQ(run(Ask::find(2, ">", {nullptr}, 1, 3).erase()), "count 1");
  EXPECT_EQ(users(), (Rows{"1,ada,10,a", "2,bob,7,a", "3,cyd,7,b", "4,dan,NULL,b"}));
}

TEST_F(ModifyTest, DeleteTakesAllRowsOfARangeAndIgnoresValues) {
  EXPECT_EQ(run(Ask::find(2, ">=", {"20"}, 100).modify(Modification::kDelete, {"x"})), "count 3");
  EXPECT_EQ(users(), (Rows{"1,ada,10,a", "4,dan,NULL,b"}));
  EXPECT_EQ(run(Ask::find(2, "<=", {"20"}, 100).erase()), "count 2");
  EXPECT_EQ(users(), Rows{});
}

TEST_F(ModifyTest, InChangesOneRowForEachValueAndSeesEarlierChanges) {
  EXPECT_EQ(run(Ask::find(2, "=", {""}, 9).in(0, {"10", "11", "30"}).update({"11"})), "count 3");
  EXPECT_EQ(users(),
            (Rows{"1,ada,11,a", "2,bob,20,a", "3,cyd,20,b", "4,dan,NULL,b", "5,eve,11,c"}));
  EXPECT_EQ(run(Ask::find(2, "=", {""}, 9).in(0, {"20", "20", "20"}).erase()), "count 2");
}

TEST_F(ModifyTest, TheOldFormsReturnTheRowsAsTheyWere) {
  EXPECT_EQ(run(Ask::find(3, "=", {"20"}, 9).update({"7", "70"}).returning_old()), "error 121");
  EXPECT_EQ(run(Ask::find(2, "=", {"20"}, 9).update({"70"}).returning_old()), "rows 1: [20] [20]");
  EXPECT_EQ(run(Ask::find(3, "=", {"10"}).update({"6", "60"}).returning_old()), "rows 2: [1,10]");
  EXPECT_EQ(run(Ask::find(3, ">=", {"60"}, 9).erase().returning_old()),
            "rows 2: [6,60] [2,70] [3,70]");
  EXPECT_EQ(run(Ask::find(3, "=", {"99"}).erase().returning_old()), "rows 2:");
  EXPECT_EQ(users(), (Rows{"4,dan,NULL,b", "5,eve,30,c"}));
}

TEST_F(ModifyTest, AFailureMidwayLeavesNoRowChanged) {
  EXPECT_EQ(run(Ask::find(5, ">", {"0"}, 9).update({"same"})), "error 121");
  EXPECT_EQ(users(), kPeople);
  EXPECT_FALSE(session->has_uncommitted_changes());
}

TEST_F(ModifyTest, AFailureLeavesTheChangesOfEarlierRequests) {
  ASSERT_EQ(run(Ask::find(1, "=", {"1"}).update({"11"})), "count 1");
  EXPECT_EQ(run(Ask::find(5, ">", {"0"}, 9).update({"same"})), "error 121");
  EXPECT_EQ(users()[0], "1,ada,11,a");
  EXPECT_EQ(users()[1], "2,bob,20,a");
}

TEST_F(ModifyTest, ErrorsOfTheEngineLeaveNothing) {
  const Ask update = Ask::find(2, ">", {"0"}, 9).update({"77"}).returning_old();
  const Ask erase = Ask::find(2, ">", {"0"}, 9).erase();
  for (uint64_t nth : {1, 2}) {
    for (Call call : {Call::kNext, Call::kRow, Call::kSeekPosition, Call::kUpdate}) {
      engine.fail(call, nth, Error::engine(134));
      EXPECT_EQ(run(update), "error 134") << static_cast<int>(call);
    }
    engine.fail(Call::kErase, nth, Error::engine(152));
    EXPECT_EQ(run(erase), "error 152");
  }
  for (Call call : {Call::kCursor, Call::kBeginRequest, Call::kSeek, Call::kEndRequest}) {
    engine.fail(call, 1, Error::engine(146));
    EXPECT_EQ(run(update), "error 146");
    engine.fail(call, 1, Error::engine(146));
    EXPECT_EQ(run(erase), "error 146");
  }
  EXPECT_EQ(users(), kPeople);
  EXPECT_FALSE(session->has_uncommitted_changes());
}

TEST_F(ModifyTest, ALostTransactionIsOnlyAnError) {
  ASSERT_EQ(run(Ask::find(1, "=", {"1"}).update({"11"})), "count 1");
  engine.lose_transaction(Call::kUpdate, 1);
  EXPECT_EQ(run(Ask::find(1, "=", {"2"}).update({"22"})), "error 149");
  EXPECT_TRUE(session->transaction_lost());
  EXPECT_EQ(run(Ask::find(1, "=", {"2"}).update({"22"})), "error 200");
  session->rollback();
  EXPECT_EQ(users(), kPeople);
  EXPECT_EQ(run(Ask::find(1, "=", {"2"}).update({"22"})), "count 1");
}

TEST_F(ModifyTest, ATooLongReplyOrLackOfMemoryLeavesNothing) {
  reply.max_rows = 2;
  EXPECT_EQ(run(Ask::find(2, ">", {"0"}, 9).update({"7"}).returning_old()), "error reply_too_long");
  EXPECT_EQ(run(Ask::find(2, ">", {"0"}, 9).erase().returning_old()), "error reply_too_long");
  reply.bad_alloc_at = 2;
  EXPECT_EQ(run(Ask::find(2, ">", {"0"}, 9).erase().returning_old()), "error 128");
  EXPECT_EQ(users(), kPeople);
}

TEST_F(ModifyTest, MoreRowsThanOneRequestMayChangeAreRefused) {
  context.limits.max_changed_rows = 3;
  EXPECT_EQ(run(Ask::find(2, ">", {"0"}, 9).update({"7"})), "error too_many_rows");
  EXPECT_EQ(run(Ask::find(2, ">", {"0"}, 9).erase()), "error too_many_rows");
  EXPECT_EQ(run(Ask::find(2, "=", {""}, 9).in(0, {"10", "30", "10", "30"}).update({"10"})),
            "count 3");
  session->rollback();
  EXPECT_EQ(run(Ask::find(2, "=", {""}, 9).in(0, {"10", "10", "10", "10"}).update({"10"})),
            "error too_many_rows");
  EXPECT_EQ(users(), kPeople);
  EXPECT_EQ(run(Ask::find(2, ">", {"0"}, 3).update({"7"})), "count 3");
  EXPECT_EQ(run(Ask::find(2, "=", {"7"}, 4).erase()), "count 3");
}

TEST_F(ModifyTest, TheKeyIsCheckedAsInAFind) {
  EXPECT_EQ(run(Ask::find(1, "=", {"1", "2"}).update({"1"})), "error kpnum");
  EXPECT_EQ(run(Ask::find(1, "=", {"1", "2"}).update({})), "error kpnum");
  EXPECT_EQ(run(Ask::find(1, "=", {"1"}).in(1, {"2"}).erase()), "error kpnum");
}

TEST_F(ModifyTest, IsRefusedOnTheReadPort) {
  use(engine::Mode::kReadOnly);
  EXPECT_EQ(run(Ask::find(1, "=", {"1"}).update({"1"})), "error readonly");
  EXPECT_EQ(run(Ask::find(1, "=", {"1"}).erase()), "error readonly");
}

}  // namespace
}  // namespace hs::exec
