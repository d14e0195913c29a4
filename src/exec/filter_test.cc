// F and W filters, in finds and in changes.
#include "exec/find.h"
#include "exec/scan.h"
#include "testing/fixtures/exec_fixture.h"
#include "testing/fixtures/stub_session.h"

namespace hs::exec {
namespace {

using hs::testing::Call;

// The rows in the order of by_age: 4 NULL b | 1 10 a | 2 20 a | 3 20 b | 5 30 c
class FilterTest : public ExecTest {
 protected:
  void SetUp() override {
    add_people();
    ASSERT_EQ(run(Ask::open(1, "user", "", "id", "age,city")), "ok");
    ASSERT_EQ(run(Ask::open(2, "user", "by_age", "id", "age,city")), "ok");
    ASSERT_EQ(run(Ask::open(3, "user", "by_age", "age", "city,name")), "ok");
    ASSERT_EQ(run(Ask::open(4, "user", "", "id")), "ok");
  }

  Ask all(uint32_t limit = 99, uint32_t offset = 0) {
    return Ask::find(2, ">=", {nullptr}, limit, offset);
  }
};

TEST_F(FilterTest, EveryOperatorComparesTheColumnWithTheValue) {
  EXPECT_EQ(run(all().skip_unless(0, "=", "20")), "rows 1: [2] [3]");
  EXPECT_EQ(run(all().skip_unless(0, "!=", "20")), "rows 1: [4] [1] [5]");
  EXPECT_EQ(run(all().skip_unless(0, ">", "20")), "rows 1: [5]");
  EXPECT_EQ(run(all().skip_unless(0, ">=", "20")), "rows 1: [2] [3] [5]");
  EXPECT_EQ(run(all().skip_unless(0, "<", "20")), "rows 1: [4] [1]");
  EXPECT_EQ(run(all().skip_unless(0, "<=", "20")), "rows 1: [4] [1] [2] [3]");
}

TEST_F(FilterTest, NullIsEqualToItselfAndLessThanAllElse) {
  EXPECT_EQ(run(all().skip_unless(0, "=", nullptr)), "rows 1: [4]");
  EXPECT_EQ(run(all().skip_unless(0, "!=", nullptr)), "rows 1: [1] [2] [3] [5]");
  EXPECT_EQ(run(all().skip_unless(0, ">", nullptr)), "rows 1: [1] [2] [3] [5]");
  EXPECT_EQ(run(all().skip_unless(0, "<", nullptr)), "rows 1:");
}

TEST_F(FilterTest, VeryManyDoNotStayInTheCursor) {
  StubSession session;
  session.rows.rows = 3;
  SpecPool specs;
  Client other(specs);
  other.set(7, specs.intern({"", "", "", {}, {"f"}}));
  RecordingReply reply;
  Meter meter;
  Scratch scratch(meter);
  for (const size_t filters : {FiltersInCursor::kKept, FiltersInCursor::kKept + 1}) {
    for (const bool changes : {false, true}) {
      Ask ask = Ask::find(7, ">", {"0"}, 10);
      for (size_t i = 0; i < filters; ++i) (void)std::move(ask).skip_unless(0, "=", "x");
      if (changes) (void)std::move(ask).erase();
      plan_and_execute(Context{engine::Mode::kReadWrite, {}}, ask.request(), other, session,
                       scratch, reply);
      (void)reply.take();
      EXPECT_EQ(session.rows.filters, filters > FiltersInCursor::kKept ? 0 : filters);
    }
  }
}

TEST_F(FilterTest, AllMustHold) {
  EXPECT_EQ(run(all().skip_unless(0, "=", "20").skip_unless(1, "=", "b")), "rows 1: [3]");
  EXPECT_EQ(run(all().skip_unless(1, "=", "b").skip_unless(0, ">", "0").skip_unless(0, "<", "20")),
            "rows 1:");
}

TEST_F(FilterTest, AStopEndsTheScanAtTheFirstRowThatFails) {
  EXPECT_EQ(run(all().stop_unless(1, "<=", "b")), "rows 1: [4] [1] [2] [3]");
  EXPECT_EQ(run(all().stop_unless(1, "=", "b")), "rows 1: [4]");
  EXPECT_EQ(run(Ask::find(2, "<", {"30"}, 99).stop_unless(0, "=", "20")), "rows 1: [3] [2]");
  EXPECT_EQ(run(all().stop_unless(0, "=", "20")), "rows 1:");
}

TEST_F(FilterTest, TheFirstThatFailsDecides) {
  EXPECT_EQ(run(all().skip_unless(1, "!=", "a").stop_unless(1, "=", "b")), "rows 1: [4] [3]");
  EXPECT_EQ(run(all().stop_unless(1, "=", "b").skip_unless(1, "!=", "a")), "rows 1: [4]");
  EXPECT_EQ(
      run(all().skip_unless(0, ">=", "20").stop_unless(0, "<", "30").skip_unless(1, "=", "a")),
      "rows 1: [2]");
}

TEST_F(FilterTest, OffsetAndLimitCountTheRowsThatPass) {
  EXPECT_EQ(run(all(2).skip_unless(1, "!=", "a")), "rows 1: [4] [3]");
  EXPECT_EQ(run(all(1, 1).skip_unless(1, "!=", "a")), "rows 1: [3]");
  EXPECT_EQ(run(all(9, 1).stop_unless(0, "<", "20")), "rows 1: [1]");
  EXPECT_EQ(run(all(9, 3).skip_unless(1, "!=", "a")), "rows 1:");
}

TEST_F(FilterTest, NothingIsReadBehindTheLimitOrAStop) {
  const uint64_t before = engine.calls(Call::kNext);
  ASSERT_EQ(run(all(1).skip_unless(0, "!=", nullptr)), "rows 1: [1]");
  EXPECT_EQ(engine.calls(Call::kNext), before + 1);
  ASSERT_EQ(run(all().stop_unless(0, "=", nullptr)), "rows 1: [4]");
  EXPECT_EQ(engine.calls(Call::kNext), before + 2);
}

TEST_F(FilterTest, InSkipsItsValueOrStopsTheWholeLoop) {
  const auto in = [](uint32_t limit = 99, uint32_t offset = 0) {
    return Ask::find(1, "=", {nullptr}, limit, offset).in(0, {"5", "9", "2", "3", "1", "5"});
  };
  EXPECT_EQ(run(in().skip_unless(1, "=", "a")), "rows 1: [2] [1]");
  EXPECT_EQ(run(in().stop_unless(0, ">=", "20")), "rows 1: [5] [2] [3]");
  EXPECT_EQ(run(in(1, 1).skip_unless(0, "!=", "20")), "rows 1: [1]");
  // One index read for each value: the first row of a range, whether it passes or not.
  EXPECT_EQ(run(Ask::find(2, "=", {nullptr}, 99).in(0, {"20", "10"}).skip_unless(1, "=", "b")),
            "rows 1:");
}

TEST_F(FilterTest, ChooseTheRowsOfAChange) {
  EXPECT_EQ(run(Ask::find(3, ">", {nullptr}, 99).skip_unless(0, "=", "a").update({"40"})),
            "count 2");
  EXPECT_EQ(users(),
            (Rows{"1,ada,40,a", "2,bob,40,a", "3,cyd,20,b", "4,dan,NULL,b", "5,eve,30,c"}));
  EXPECT_EQ(run(Ask::find(3, ">=", {nullptr}, 99).stop_unless(0, "=", "b").erase()), "count 2");
  EXPECT_EQ(users(), (Rows{"1,ada,40,a", "2,bob,40,a", "5,eve,30,c"}));
  EXPECT_EQ(run(Ask::find(3, ">", {"0"}, 99, 1)
                    .skip_unless(0, "=", "a")
                    .modify(Modification::kIncrement, {"1"})),
            "count 1");
  EXPECT_EQ(run(Ask::find(3, ">", {"0"}, 99)
                    .skip_unless(1, "=", "ada")
                    .modify(Modification::kDecrement, {"1"})
                    .returning_old()),
            "rows 1: [40]");
  EXPECT_EQ(users(), (Rows{"1,ada,39,a", "2,bob,41,a", "5,eve,30,c"}));
  EXPECT_EQ(run(Ask::find(3, ">", {"0"}, 99).skip_unless(0, "=", "c").erase().returning_old()),
            "rows 1: [30]");
  EXPECT_EQ(
      run(Ask::find(3, ">", {"0"}, 99).skip_unless(0, "=", "c").update({"1"}).returning_old()),
      "rows 1:");
}

TEST_F(FilterTest, ChooseTheRowsOfAChangeWithIn) {
  EXPECT_EQ(run(Ask::find(3, "=", {nullptr}, 99)
                    .in(0, {"10", "20", "30"})
                    .skip_unless(0, "!=", "a")
                    .update({"7"})),
            "count 1");
  EXPECT_EQ(users(), (Rows{"1,ada,10,a", "2,bob,20,a", "3,cyd,20,b", "4,dan,NULL,b", "5,eve,7,c"}));
  EXPECT_EQ(run(Ask::find(3, "=", {nullptr}, 99)
                    .in(0, {"10", "7", "20"})
                    .stop_unless(0, "=", "a")
                    .erase()),
            "count 1");
  EXPECT_EQ(users(), (Rows{"2,bob,20,a", "3,cyd,20,b", "4,dan,NULL,b", "5,eve,7,c"}));
}

// Each value of IN sees the changes of the values before it, in its filters, too.
TEST_F(FilterTest, WithInSeeEarlierChanges) {
  ASSERT_EQ(run(Ask::open(5, "user", "", "age", "age")), "ok");
  EXPECT_EQ(run(Ask::find(5, "=", {nullptr}, 99)
                    .in(0, {"1", "1", "1", "2"})
                    .skip_unless(0, "=", "10")
                    .update({"11"})),
            "count 1");
  EXPECT_EQ(users()[0], "1,ada,11,a");
}

// The rows are chosen before the first of them is changed.
TEST_F(FilterTest, OfARangeChangeDoNotSeeItsChanges) {
  ASSERT_EQ(run(Ask::open(5, "user", "by_age", "age", "age")), "ok");
  EXPECT_EQ(run(Ask::find(5, ">", {nullptr}, 99)
                    .stop_unless(0, "<", "30")
                    .modify(Modification::kIncrement, {"10"})),
            "count 3");
  EXPECT_EQ(users(),
            (Rows{"1,ada,20,a", "2,bob,30,a", "3,cyd,30,b", "4,dan,NULL,b", "5,eve,30,c"}));
}

TEST_F(FilterTest, TheColumnMustBeOpened) {
  EXPECT_EQ(run(all().skip_unless(1, "=", "a").stop_unless(2, "=", "a")), "error filterfld");
  EXPECT_EQ(run(Ask::find(4, "=", {"1"}).skip_unless(0, "=", "1")), "error filterfld");
}

TEST_F(FilterTest, RefusedByTheEngineTheRequestDoesNothing) {
  for (const Error& error : {Error{ErrorCode::kFilterBlob, 0, {}}, Error::sql(1267, "no")}) {
    engine.fail(Call::kSetFilters, 1, error);
    EXPECT_EQ(run(all().skip_unless(0, "=", "20")),
              "error " + protocol::handlersocket::wire_text(error));
    engine.fail(Call::kSetFilters, 1, error);
    EXPECT_EQ(run(Ask::find(3, ">", {"0"}, 9).skip_unless(0, "=", "a").erase()),
              "error " + protocol::handlersocket::wire_text(error));
  }
  EXPECT_EQ(users().size(), 5u);
}

TEST_F(FilterTest, OfOneRequestMeanNothingToTheNext) {
  ASSERT_EQ(run(all().skip_unless(0, "=", "20").skip_unless(1, "=", "b")), "rows 1: [3]");
  EXPECT_EQ(run(all().skip_unless(1, "=", "c")), "rows 1: [5]");
  EXPECT_EQ(run(all()), "rows 1: [4] [1] [2] [3] [5]");
}

TEST_F(FilterTest, GiantNumbersOfThemKeepNoMemory) {
  Ask ask = all();
  for (int i = 0; i < 5000; ++i) std::move(ask).skip_unless(0, "=", "20");
  EXPECT_EQ(run(ask), "rows 1: [2] [3]");
  EXPECT_LT(scratch.filters.capacity(), 2000u);
}

}  // namespace
}  // namespace hs::exec
