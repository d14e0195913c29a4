// + and -, with and without `?`.
#include "exec/increment.h"

#include "testing/fixtures/exec_fixture.h"

namespace hs::exec {
namespace {

using hs::testing::Call;

const Rows kCounters = {"1,5,0,7.50", "2,-5,10,hello", "3,NULL,20,0"};

class IncrementTest : public ExecTest {
 protected:
  void SetUp() override {
    fake.create_table(
        "test.counter(id int, n int null, u unsigned, t text null; PRIMARY(id); by_n(n))");
    ASSERT_TRUE(fake.add_row("test", "counter", {"1", "5", "0", "7.50"}));
    ASSERT_TRUE(fake.add_row("test", "counter", {"2", "-5", "10", "hello"}));
    ASSERT_TRUE(fake.add_row("test", "counter", {"3", std::nullopt, "20", "0"}));
    ASSERT_EQ(run(Ask::open(1, "counter", "", "n")), "ok");
    ASSERT_EQ(run(Ask::open(2, "counter", "", "n,u,t")), "ok");
    ASSERT_EQ(run(Ask::open(3, "counter", "by_n", "n")), "ok");
    ASSERT_EQ(run(Ask::open(4, "counter", "", "u")), "ok");
    ASSERT_EQ(run(Ask::open(5, "counter", "", "t")), "ok");
    ASSERT_EQ(run(Ask::open(6, "counter", "", "")), "ok");
  }

  static Ask plus(uint32_t id, const char* key, Ask::Texts operands) {
    return Ask::find(id, "=", {key}).modify(Modification::kIncrement, operands);
  }
  static Ask minus(uint32_t id, const char* key, Ask::Texts operands) {
    return Ask::find(id, "=", {key}).modify(Modification::kDecrement, operands);
  }
  std::vector<std::string> counters() const { return fake.rows("test", "counter"); }
};

TEST_F(IncrementTest, AddsToEachColumnItsOperand) {
  EXPECT_EQ(run(plus(2, "1", {"10", "+20", "-3"})), "count 1");
  EXPECT_EQ(counters()[0], "1,15,20,4.50");
  EXPECT_EQ(run(minus(2, "1", {"1", "2", "-3"})), "count 1");
  EXPECT_EQ(counters()[0], "1,14,18,7.50");
  EXPECT_EQ(run(plus(1, "9", {"1"})), "count 0");
}

TEST_F(IncrementTest, NullIsLeftAloneAndTheRowCounted) {
  EXPECT_EQ(run(plus(2, "3", {"1", nullptr, "1"})), "count 1");
  EXPECT_EQ(counters()[2], "3,NULL,20,1");
  EXPECT_EQ(run(plus(2, "2", {nullptr, "1", nullptr})), "count 1");
  EXPECT_EQ(counters()[1], "2,-5,11,hello");
  const uint64_t updates = engine.calls(Call::kUpdate);
  EXPECT_EQ(run(plus(1, "3", {"1"})), "count 1");
  EXPECT_EQ(run(minus(2, "2", {nullptr, nullptr, nullptr})), "count 1");
  EXPECT_EQ(run(plus(6, "1", {})), "count 1");
  EXPECT_EQ(run(plus(2, "3", {"1", nullptr, nullptr}).returning_old()), "rows 3: [NULL,20,1]");
  EXPECT_EQ(engine.calls(Call::kUpdate), updates);
}

TEST_F(IncrementTest, AColumnThatIsListedTwiceIsCountedTwice) {
  ASSERT_EQ(run(Ask::open(7, "counter", "", "n,u,n,t,n")), "ok");
  EXPECT_EQ(run(plus(7, "1", {"1", "2", "10", "3", "100"})), "count 1");
  EXPECT_EQ(counters()[0], "1,116,2,10.50");
  EXPECT_EQ(run(minus(7, "1", {"1", "1", nullptr, nullptr, "10"}).returning_old()),
            "rows 5: [116,2,116,10.50,116]");
  EXPECT_EQ(counters()[0], "1,105,1,10.50");
  EXPECT_EQ(run(minus(7, "1", {"100", "1", "10", nullptr, "1"})), "count 0");
  EXPECT_EQ(run(plus(7, "3", {"1", "1", "10", "1", "100"})), "count 1");
  EXPECT_EQ(counters()[2], "3,NULL,21,1");
}

TEST_F(IncrementTest, TheLastColumnIsSetWhereTheOthersAreCounted) {
  EXPECT_EQ(run(plus(2, "1", {"10", "1", "new"}).setting_last()), "count 1");
  EXPECT_EQ(counters()[0], "1,15,1,new");
  ASSERT_EQ(run(Ask::open(7, "counter", "", "n,t")), "ok");
  EXPECT_EQ(run(plus(7, "3", {"1", "new"}).setting_last()), "count 1");
  EXPECT_EQ(counters()[2], kCounters[2]);
}

TEST_F(IncrementTest, ADecrementDoesNotCrossZero) {
  EXPECT_EQ(run(minus(1, "1", {"6"})), "count 0");
  EXPECT_EQ(run(minus(1, "2", {"-6"})), "count 0");
  EXPECT_EQ(run(minus(2, "1", {"1", "0", "8"})), "count 0");
  EXPECT_EQ(run(minus(2, "1", {"6", "0", "1"})), "count 0");
  EXPECT_EQ(run(minus(1, "1", {"6"}).returning_old()), "rows 1: [5]");
  EXPECT_EQ(run(minus(4, "2", {"11"})), "count 0");
  EXPECT_EQ(counters(), kCounters);
}

TEST_F(IncrementTest, ADecrementMayReachZeroAndLeaveItEitherWay) {
  EXPECT_EQ(run(minus(1, "1", {"5"})), "count 1");
  EXPECT_EQ(counters()[0], "1,0,0,7.50");
  EXPECT_EQ(run(minus(1, "1", {"3"})), "count 1");
  EXPECT_EQ(counters()[0], "1,-3,0,7.50");
  EXPECT_EQ(run(minus(1, "1", {"-3"})), "count 1");
  EXPECT_EQ(run(minus(1, "1", {"-4"})), "count 1");
  EXPECT_EQ(counters()[0], "1,4,0,7.50");
  EXPECT_EQ(run(minus(4, "1", {"1"})), "error sql_1264 Out of range value for column 'u' at row 1");
}

TEST_F(IncrementTest, AnIncrementMayCrossZero) {
  EXPECT_EQ(run(plus(1, "1", {"-6"})), "count 1");
  EXPECT_EQ(run(plus(1, "2", {"6"})), "count 1");
  EXPECT_EQ(counters(), (Rows{"1,-1,0,7.50", "2,1,10,hello", "3,NULL,20,0"}));
}

TEST_F(IncrementTest, TheOldFormsReturnTheRowsAsTheyWere) {
  EXPECT_EQ(run(plus(2, "1", {"1", "1", "1"}).returning_old()), "rows 3: [5,0,7.50]");
  EXPECT_EQ(run(minus(2, "1", {"1", "1", "1"}).returning_old()), "rows 3: [6,1,8.50]");
  EXPECT_EQ(run(plus(1, "9", {"1"}).returning_old()), "rows 1:");
  EXPECT_EQ(counters(), kCounters);
}

TEST_F(IncrementTest, OperandsAreIntegersOfSixtyFourBits) {
  for (const char* bad : {"", " ", "x", "1x", "1.5", "1e2", " 5", "5 ", "+", "-", "--1", "+-1",
                          "0x1", "18446744073709551616", "-9223372036854775809"}) {
    EXPECT_EQ(run(plus(1, "1", {bad})), "error number") << bad;
    EXPECT_EQ(run(minus(2, "9", {nullptr, "1", bad}).returning_old()), "error number") << bad;
  }
  ASSERT_EQ(run(Ask::find(5, "=", {"1"}).update({"0"})), "count 1");
  EXPECT_EQ(run(plus(5, "1", {"18446744073709551615"})), "count 1");
  EXPECT_EQ(run(minus(5, "1", {"18446744073709551615"}).returning_old()),
            "rows 1: [18446744073709551615]");
  EXPECT_EQ(run(minus(5, "1", {"-9223372036854775808"})), "count 1");
  EXPECT_EQ(run(plus(5, "1", {"-9223372036854775808"}).returning_old()),
            "rows 1: [9223372036854775808]");
  EXPECT_EQ(counters()[0], "1,5,0,0");
}

TEST_F(IncrementTest, NeedsExactlyOneOperandForEachColumn) {
  EXPECT_EQ(run(plus(1, "1", {})), "error missing_value");
  EXPECT_EQ(run(minus(2, "1", {"1", "1"})), "error missing_value");
  EXPECT_EQ(run(plus(1, "1", {"1", "2"})), "error fldnum");
  EXPECT_EQ(run(plus(1, "1", {"1", "", ""}).with_optional_end()), "error fldnum");
  EXPECT_EQ(counters(), kCounters);
  EXPECT_EQ(run(plus(1, "1", {"1", ""}).with_optional_end()), "count 1");
  EXPECT_EQ(counters()[0], "1,6,0,7.50");
}

TEST_F(IncrementTest, AColumnThatIsNoNumberIsAnErrorThatChangesNothing) {
  EXPECT_EQ(run(plus(5, "2", {"1"})), "error not_a_number");
  EXPECT_EQ(run(minus(2, "2", {"-1", "-1", "0"})), "error not_a_number");
  // Even when another column would have left the row alone.
  EXPECT_EQ(run(minus(2, "2", {"-9", "99", "0"})), "error not_a_number");
  // The rows before it stay unchanged, too.
  EXPECT_EQ(run(Ask::find(5, ">=", {"1"}, 9).modify(Modification::kIncrement, {"1"})),
            "error not_a_number");
  EXPECT_EQ(
      run(Ask::find(5, ">=", {"1"}, 9).modify(Modification::kIncrement, {"1"}).returning_old()),
      "error not_a_number");
  EXPECT_EQ(counters(), kCounters);
  EXPECT_FALSE(session->has_uncommitted_changes());
}

TEST_F(IncrementTest, WhatLeavesTheColumnsRangeIsAnErrorThatChangesNothing) {
  EXPECT_EQ(run(plus(2, "1", {"2147483643", "1", "1"})),
            "error sql_1264 Out of range value for column 'n' at row 1");
  EXPECT_EQ(run(plus(1, "1", {"18446744073709551615"})),
            "error sql_1264 Out of range value for column 'n' at row 1");
  EXPECT_EQ(counters(), kCounters);
  EXPECT_EQ(run(plus(1, "1", {"2147483642"})), "count 1");
}

TEST_F(IncrementTest, ARangeNeverMeetsItsOwnChanges) {
  EXPECT_EQ(run(Ask::find(3, ">=", {nullptr}, 99).modify(Modification::kIncrement, {"100"})),
            "count 3");
  EXPECT_EQ(run(Ask::find(3, "<=", {"200"}, 99).modify(Modification::kDecrement, {"1"})),
            "count 3");
  EXPECT_EQ(counters(), (Rows{"1,104,0,7.50", "2,94,10,hello", "3,NULL,20,0"}));
}

TEST_F(IncrementTest, OfSeveralRowsThoseThatWouldCrossZeroAreNotCounted) {
  ASSERT_TRUE(fake.add_row("test", "counter", {"4", "6", "0", std::nullopt}));
  const auto all = [] { return Ask::find(3, ">=", {nullptr}, 99); };
  EXPECT_EQ(run(all().modify(Modification::kDecrement, {"6"}).returning_old()),
            "rows 1: [NULL] [-5] [5] [6]");
  EXPECT_EQ(counters(), (Rows{"1,5,0,7.50", "2,-11,10,hello", "3,NULL,20,0", "4,0,0,NULL"}));
  EXPECT_EQ(run(all().modify(Modification::kDecrement, {"6"})), "count 3");
}

TEST_F(IncrementTest, InSeesEarlierChanges) {
  EXPECT_EQ(run(Ask::find(1, "=", {nullptr}, 9)
                    .in(0, {"1", "2", "9", "1", "1"})
                    .modify(Modification::kIncrement, {"10"})
                    .returning_old()),
            "rows 1: [5] [-5] [15] [25]");
  EXPECT_EQ(counters(), (Rows{"1,35,0,7.50", "2,5,10,hello", "3,NULL,20,0"}));
  EXPECT_EQ(run(Ask::find(3, "=", {nullptr}, 9)
                    .in(0, {"5", "6", "7"})
                    .modify(Modification::kIncrement, {"1"})),
            "count 3");
  EXPECT_EQ(counters()[1], "2,8,10,hello");
}

TEST_F(IncrementTest, ErrorsOfTheEngineLeaveNothing) {
  const Ask ask =
      Ask::find(3, ">", {nullptr}, 9).modify(Modification::kIncrement, {"1"}).returning_old();
  for (const uint64_t nth : {1, 2}) {
    for (const Call call : {Call::kNext, Call::kSeekPosition, Call::kRow, Call::kUpdate}) {
      engine.fail(call, nth, Error::engine(134));
      EXPECT_EQ(run(ask), "error 134") << static_cast<int>(call);
    }
  }
  reply.max_rows = 1;
  EXPECT_EQ(run(ask), "error reply_too_long");
  context.limits.max_changed_rows = 1;
  EXPECT_EQ(run(ask), "error too_many_rows");
  EXPECT_EQ(counters(), kCounters);
}

TEST_F(IncrementTest, DoublesAreAddedToByTheEngine) {
  fake.create_table("test.real(id int, d double null, n int; PRIMARY(id))");
  ASSERT_TRUE(fake.add_row("test", "real", {"1", "0.1", "5"}));
  ASSERT_TRUE(fake.add_row("test", "real", {"2", std::nullopt, "5"}));
  ASSERT_TRUE(fake.add_row("test", "real", {"3", "1e+300", "5"}));
  ASSERT_EQ(run(Ask::open(7, "real", "", "d,n,d")), "ok");
  const auto reals = [this] { return fake.rows("test", "real"); };
  EXPECT_EQ(run(plus(7, "1", {"1", "2", "-3"}).returning_old()), "rows 3: [0.1,5,0.1]");
  EXPECT_EQ(reals()[0], "1,-1.9,7");
  EXPECT_EQ(run(plus(7, "2", {"1", "2", "3"})), "count 1");
  EXPECT_EQ(reals()[1], "2,NULL,7");
  EXPECT_EQ(run(plus(7, "3", {"18446744073709551615", nullptr, nullptr})), "count 1");
  EXPECT_EQ(reals()[2], "3,1e+300,5");
  EXPECT_EQ(run(plus(7, "1", {"1.5", nullptr, nullptr})), "error number");
}

TEST_F(IncrementTest, ADecrementOfADoubleDoesNotCrossZero) {
  fake.create_table("test.real(id int, d double; PRIMARY(id))");
  ASSERT_TRUE(fake.add_row("test", "real", {"1", "2.5"}));
  ASSERT_EQ(run(Ask::open(7, "real", "", "d")), "ok");
  ASSERT_EQ(run(Ask::open(8, "real", "", "d,d")), "ok");
  EXPECT_EQ(run(minus(7, "1", {"3"})), "count 0");
  EXPECT_EQ(run(minus(8, "1", {"2", "1"}).returning_old()), "rows 2: [2.5,2.5]");
  EXPECT_EQ(fake.rows("test", "real"), Rows{"1,2.5"});
  EXPECT_EQ(run(minus(8, "1", {"1", "1"})), "count 1");
  EXPECT_EQ(fake.rows("test", "real"), Rows{"1,0.5"});
  EXPECT_EQ(run(plus(7, "1", {"-1"})), "count 1");
  EXPECT_EQ(run(minus(7, "1", {"-1"})), "count 0");
  EXPECT_EQ(fake.rows("test", "real"), Rows{"1,-0.5"});
}

TEST_F(IncrementTest, IsRefusedOnTheReadPort) {
  use(engine::Mode::kReadOnly);
  EXPECT_EQ(run(plus(1, "1", {"1"})), "error readonly");
  EXPECT_EQ(run(minus(1, "1", {"x"}).returning_old()), "error readonly");
}

}  // namespace
}  // namespace hs::exec
