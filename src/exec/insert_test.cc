#include "exec/insert.h"

#include "testing/fixtures/exec_fixture.h"

namespace hs::exec {
namespace {

using hs::testing::Call;

class InsertTest : public ExecTest {
 protected:
  void SetUp() override {
    fake.create_table("test.log(id int auto_increment, text text; PRIMARY(id))");
    ASSERT_EQ(run(Ask::open(1, "user", "", "id,name,age")), "ok");
    ASSERT_EQ(run(Ask::open(2, "log", "", "text,id")), "ok");
  }
};

TEST_F(InsertTest, AddsARow) {
  EXPECT_EQ(run(Ask::insert(1, {"1", "ada", "10"})), "ok");
  EXPECT_EQ(run(Ask::find(1, "=", {"1"})), "rows 3: [1,ada,10]");
}

TEST_F(InsertTest, FewerValuesThanColumnsLeaveTheDefaults) {
  EXPECT_EQ(run(Ask::insert(1, {"1"})), "ok");
  EXPECT_EQ(users(), Rows{"1,NULL,NULL,nowhere"});
}

TEST_F(InsertTest, MoreValuesThanColumnsAreRefused) {
  EXPECT_EQ(run(Ask::insert(1, {"1", "ada", "10", "x"})), "error fldnum");
  EXPECT_EQ(users(), Rows{});
}

TEST_F(InsertTest, TellsTheGeneratedIdAndZeroForAGivenOne) {
  EXPECT_EQ(run(Ask::insert(2, {"a"})), "count 1");
  EXPECT_EQ(run(Ask::insert(2, {"b", nullptr})), "count 2");
  EXPECT_EQ(run(Ask::insert(2, {"c", "10"})), "count 0");
  EXPECT_EQ(run(Ask::insert(2, {"d", "0"})), "count 11");
}

TEST_F(InsertTest, AFailedOneLeavesNothingAndTheConnectionGoesOn) {
  ASSERT_EQ(run(Ask::insert(1, {"1", "ada"})), "ok");
  EXPECT_EQ(run(Ask::insert(1, {"1", "bob"})), "error 121");
  EXPECT_EQ(run(Ask::insert(1, {nullptr, "bob"})), "error sql_1048 Column 'id' cannot be null");
  EXPECT_EQ(run(Ask::insert(1, {"2", "bob", "x"})),
            "error sql_1366 Incorrect integer value: 'x' for column 'age' at row 1");
  EXPECT_EQ(run(Ask::insert(1, {"2", "bob", "2147483648"})),
            "error sql_1264 Out of range value for column 'age' at row 1");
  EXPECT_EQ(run(Ask::insert(1, {"2", "bob"})), "ok");
  EXPECT_EQ(users(), (Rows{"1,ada,NULL,nowhere", "2,bob,NULL,nowhere"}));
}

TEST_F(InsertTest, ErrorsOfTheEngineLeaveNothing) {
  for (Call call : {Call::kCursor, Call::kBeginRequest, Call::kInsert, Call::kEndRequest}) {
    engine.fail(call, 1, Error::engine(146));
    EXPECT_EQ(run(Ask::insert(1, {"1", "ada"})), "error 146");
    EXPECT_EQ(users(), Rows{});
    EXPECT_FALSE(session->has_uncommitted_changes());
  }
}

TEST_F(InsertTest, IsSeenByLaterRequestsAndGoneAfterARollback) {
  ASSERT_EQ(run(Ask::insert(1, {"1", "ada"})), "ok");
  EXPECT_EQ(run(Ask::find(1, "=", {"1"})), "rows 3: [1,ada,NULL]");
  session->rollback();
  EXPECT_EQ(run(Ask::find(1, "=", {"1"})), "rows 3:");
}

TEST_F(InsertTest, IsRefusedOnTheReadPort) {
  use(engine::Mode::kReadOnly);
  EXPECT_EQ(run(Ask::insert(1, {"1"})), "error readonly");
}

TEST_F(InsertTest, WaitsForAnotherSessionsChangesAndGivesUp) {
  ASSERT_EQ(run(Ask::insert(1, {"1", "ada"})), "ok");
  const auto other = engine.make_session(engine::Mode::kReadWrite, "other");
  other->enter({});
  const Ask ask = Ask::insert(1, {"2", "bob"});
  plan_and_execute(context, ask.request(), client, *other, scratch, reply);
  EXPECT_EQ(reply.take(), "error 146");
  ASSERT_TRUE(session->commit());
  plan_and_execute(context, ask.request(), client, *other, scratch, reply);
  EXPECT_EQ(reply.take(), "ok");
}

}  // namespace
}  // namespace hs::exec
