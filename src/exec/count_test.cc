#include "exec/count.h"

#include "testing/fixtures/exec_fixture.h"
#include "testing/fixtures/stub_session.h"

namespace hs::exec {
namespace {

using hs::testing::Call;

constexpr uint32_t kNoLimit = 0;

class CountTest : public ExecTest {
 protected:
  void SetUp() override {
    add_people();
    ASSERT_EQ(run(Ask::open(1, "user", "", "id,name", "age")), "ok");
    ASSERT_EQ(run(Ask::open(2, "user", "by_age", "id,age", "city,age")), "ok");
    ASSERT_EQ(run(Ask::open(3, "user", "by_city_age", "")), "ok");
  }
};

TEST_F(CountTest, CountsTheRowsThatAFindWouldReturn) {
  EXPECT_EQ(run(Ask::find(1, "=", {"2"}, kNoLimit).count()), "count 1");
  EXPECT_EQ(run(Ask::find(1, "=", {"9"}, kNoLimit).count()), "count 0");
  EXPECT_EQ(run(Ask::find(2, ">=", {"20"}, kNoLimit).count()), "count 3");
  EXPECT_EQ(run(Ask::find(2, "<", {"20"}, kNoLimit).count()), "count 2");
  EXPECT_EQ(run(Ask::find(2, "=<", {"20"}, kNoLimit).count()), "count 2");
  EXPECT_EQ(run(Ask::find(2, "=", {nullptr}, kNoLimit).count()), "count 1");
  EXPECT_EQ(run(Ask::find(3, "=", {"b"}, kNoLimit).count()), "count 2");
}

TEST_F(CountTest, IsCutByLimitAndOffset) {
  EXPECT_EQ(run(Ask::find(1, ">", {"0"}, 1).count()), "count 1");
  EXPECT_EQ(run(Ask::find(1, ">", {"0"}, 3).count()), "count 3");
  EXPECT_EQ(run(Ask::find(1, ">", {"0"}, 9).count()), "count 5");
  EXPECT_EQ(run(Ask::find(1, ">", {"0"}, 3, 3).count()), "count 2");
  EXPECT_EQ(run(Ask::find(1, ">", {"0"}, kNoLimit, 2).count()), "count 3");
  EXPECT_EQ(run(Ask::find(1, ">", {"0"}, kNoLimit, 4294967295u).count()), "count 0");
}

TEST_F(CountTest, CountsNoMoreRowsThanItsLimit) {
  const uint64_t before = engine.calls(Call::kNext);
  EXPECT_EQ(run(Ask::find(1, ">", {"0"}, 1).count()), "count 1");
  EXPECT_EQ(engine.calls(Call::kNext), before);
}

TEST_F(CountTest, KeepsToFiltersAndIn) {
  EXPECT_EQ(run(Ask::find(1, ">", {"0"}, kNoLimit).skip_unless(0, "=", "20").count()), "count 2");
  EXPECT_EQ(run(Ask::find(1, ">", {"0"}, kNoLimit).stop_unless(0, "<", "20").count()), "count 1");
  EXPECT_EQ(run(Ask::find(2, "=", {""}, kNoLimit).in(0, {"20", "7", "30"}).count()), "count 2");
  EXPECT_EQ(run(Ask::find(2, "=", {""}, kNoLimit).all_in(0, {"20", "7", "30"}).count()), "count 3");
  EXPECT_EQ(run(Ask::find(2, "=", {""}, 1).all_in(0, {"20", "7", "30"}).count()), "count 2");
}

TEST_F(CountTest, ReadsNoRow) {
  const uint64_t before = engine.calls(Call::kRow);
  EXPECT_EQ(run(Ask::find(2, ">=", {"10"}, kNoLimit).count()), "count 4");
  EXPECT_EQ(engine.calls(Call::kRow), before);
  // The cursor reads rows again afterwards.
  EXPECT_EQ(run(Ask::find(2, "=", {"30"})), "rows 2: [5,30]");
}

TEST_F(CountTest, IsNotBoundByHowManyRowsAReplyMayHave) {
  context.limits.max_rows = 2;
  EXPECT_EQ(run(Ask::find(1, ">", {"0"}, kNoLimit).count()), "count 5");
}

TEST_F(CountTest, WorksOnBothPorts) {
  use(engine::Mode::kReadOnly);
  EXPECT_EQ(run(Ask::find(2, ">=", {"20"}, kNoLimit).count()), "count 3");
}

TEST_F(CountTest, RefusesWhatAFindRefuses) {
  EXPECT_EQ(run(Ask::find(1, "=", {"1", "2"}, kNoLimit).count()), "error kpnum");
  EXPECT_EQ(run(Ask::find(9, "=", {"1"}, kNoLimit).count()), "error stmtnum");
  EXPECT_EQ(run(Ask::find(1, "=", {"1"}, kNoLimit).filter(3).count()), "error filterfld");
}

TEST_F(CountTest, AnswersErrorsOfTheEngineAloneAndGoesOn) {
  for (Call call : {Call::kCursor, Call::kBeginRequest, Call::kSetFilters, Call::kSeek, Call::kNext,
                    Call::kEndRequest}) {
    engine.fail(call, 1, Error::engine(137));
    EXPECT_EQ(run(Ask::find(2, ">=", {"10"}, kNoLimit).skip_unless(1, ">", "0").count()),
              "error 137");
    EXPECT_EQ(run(Ask::find(1, "=", {"1"})), "rows 2: [1,ada]");
  }
}

TEST_F(CountTest, TellsOfItsWork) {
  StubSession many;
  many.rows.rows = 1'000'000;
  int long_requests = 0;
  int64_t now_ns = 0;
  static int64_t* clock;
  clock = &now_ns;
  Meter::Options options;
  options.on_long_request = [&] { ++long_requests; };
  options.now_ns = [] { return *clock += 1'000'000; };
  Meter own(std::move(options));
  Scratch own_scratch(own);
  const Ask ask = Ask::find(1, ">", {"0"}, kNoLimit).count();
  const Plan made = plan(context, ask.request(), client);
  const auto counted = count(made, ask.request(), many, own_scratch, reply);
  ASSERT_TRUE(counted);
  EXPECT_EQ(*counted, 0u);
  EXPECT_EQ(reply.take(), "count 1000000");
  EXPECT_GT(long_requests, 1000);
}

}  // namespace
}  // namespace hs::exec
