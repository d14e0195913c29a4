#include "exec/meter.h"

#include "testing/fixtures/exec_fixture.h"
#include "testing/fixtures/stub_session.h"

namespace hs::exec {
namespace {

constexpr int64_t kMs = 1'000'000;

int64_t now_ns = 0;
int64_t step_ns = 0;  // how far each look moves the clock
int looks = 0;
int64_t clock_of_test() {
  ++looks;
  return now_ns += step_ns;
}

class MeterTest : public ::testing::Test {
 protected:
  MeterTest() {
    now_ns = step_ns = looks = 0;
    Meter::Options options;
    options.on_long_request = [this] { ++long_requests_; };
    options.batch_ns = 10 * kMs;
    options.now_ns = clock_of_test;
    meter_ = Meter(options);
  }
  void look() { meter_.add(Meter::kUnitsPerLook); }

  int long_requests_ = 0;
  Meter meter_;
};

TEST_F(MeterTest, ShortRequestsDoNotLookAtTheClock) {
  for (int i = 0; i < 63; ++i) {
    meter_.begin_request();
    meter_.add(Meter::kRow);
  }
  EXPECT_EQ(looks, 0);
  meter_.add(Meter::kRow);
  EXPECT_EQ(looks, 1);
}

TEST_F(MeterTest, ARequestIsLongAfterItsTimeAndAgainAfterAsMuch) {
  look();
  now_ns += Meter::kRequestNs - 1;
  look();
  EXPECT_EQ(long_requests_, 0);
  now_ns += 1;
  look();
  EXPECT_EQ(long_requests_, 1);
  now_ns += Meter::kRequestNs - 1;
  look();
  EXPECT_EQ(long_requests_, 1);
  now_ns += 1;
  look();
  EXPECT_EQ(long_requests_, 2);
}

TEST_F(MeterTest, TheTimeOfOtherRequestsIsNotThatOfARequest) {
  for (int i = 0; i < 10; ++i) {
    meter_.begin_request();
    look();
    now_ns += Meter::kRequestNs - 1;
  }
  EXPECT_EQ(long_requests_, 0);
}

TEST_F(MeterTest, ABatchIsOverAfterItsTimeHoweverManyRequestsItHas) {
  meter_.begin_batch();
  for (int i = 0; i < 10; ++i) {
    meter_.begin_request();
    look();
    EXPECT_FALSE(meter_.batch_is_over());
    now_ns += kMs;
  }
  look();
  EXPECT_TRUE(meter_.batch_is_over());
  meter_.begin_batch();
  EXPECT_FALSE(meter_.batch_is_over());
  look();
  EXPECT_FALSE(meter_.batch_is_over());
}

TEST_F(MeterTest, UnitsThatTakeLongAreLookedAtMoreOften) {
  step_ns = Meter::kRequestNs / 2;
  for (int i = 0; i < 6; ++i) look();
  looks = 0;
  for (int i = 0; i < 100; ++i) meter_.add(Meter::kRow);
  EXPECT_GT(looks, 90);
  step_ns = 1000;
  for (int i = 0; i < 20; ++i) look();
  looks = 0;
  for (int i = 0; i < 100; ++i) meter_.add(Meter::kRow);
  EXPECT_LE(looks, 2);
}

TEST_F(MeterTest, WorkThatCannotBeInterruptedIsLongBeforeItBegins) {
  meter_.expect(1000);
  EXPECT_EQ(long_requests_, 0);
  meter_.expect(10'000'000);
  EXPECT_EQ(long_requests_, 1);
}

TEST_F(MeterTest, WithoutOptionsNothingIsEverOver) {
  Meter plain;
  for (int i = 0; i < 10; ++i) plain.add(Meter::kUnitsPerLook);
  plain.expect(10'000'000);
  EXPECT_FALSE(plain.batch_is_over());
}

// Work of each kind leads to looks at the clock, whatever it finds.
class MeteredWork : public MeterTest {
 protected:
  MeteredWork() {
    client_.set(1, pool_.intern({"", "", "", {}, {"f"}}));
    context_.mode = engine::Mode::kReadWrite;
  }
  // How many looks the request led to.
  int looks_of(const protocol::Request& request) {
    looks = 0;
    plan_and_execute(context_, request, client_, session_, scratch_, reply_);
    reply_.take();
    return looks;
  }

  SpecPool pool_;
  Client client_{pool_};
  Context context_;
  StubSession session_;
  Scratch scratch_{meter_};
  RecordingReply reply_;
};

TEST_F(MeteredWork, KeysOfInThatFindNothing) {
  const Ask ask = Ask::find(1, "=", {"1"}, 10).in(0, {});
  protocol::Request request = ask.request();
  const std::vector<Value> values(10'000, Value::of("7"));
  request.in->values = values;
  EXPECT_GT(looks_of(request), 100);
}

TEST_F(MeteredWork, RowsThatAreSkipped) {
  session_.rows.rows = 10'000;
  EXPECT_GT(looks_of(Ask::find(1, ">", {"1"}, 10, 9990).request()), 100);
}

TEST_F(MeteredWork, FiltersThatAreMany) {
  session_.rows.rows = 100;
  const Ask ask = Ask::find(1, ">", {"1"}, 100);
  protocol::Request request = ask.request();
  const std::vector<protocol::Filter> filters(
      10'000, {false, true, FilterOperator::kEqual, 0, Value::of("1")});
  request.filters = filters;
  EXPECT_GT(looks_of(request), 400);  // every other row passes
}

TEST_F(MeteredWork, RowsThatAreChanged) {
  session_.rows.rows = 1000;
  EXPECT_GT(looks_of(Ask::find(1, ">", {"1"}, 1000).erase().request()), 200);
  EXPECT_GT(looks_of(Ask::find(1, ">", {"1"}, 1000).update({}).request()), 200);
}

TEST_F(MeteredWork, Inserts) {
  int all = 0;
  for (int i = 0; i < 100; ++i) all += looks_of(Ask::insert(1, {}).request());
  EXPECT_GE(all, 25);
}

TEST_F(MeteredWork, IndexesThatAreOpened) {
  int all = 0;
  for (int i = 0; i < 10; ++i) all += looks_of(Ask::open(2, "t", "", "").request());
  EXPECT_EQ(all, 10);
}

TEST_F(MeteredWork, NothingWorthALookInPointLookups) {
  session_.rows.rows = 1;
  int all = 0;
  for (int i = 0; i < 1000; ++i) all += looks_of(Ask::find(1, "=", {"1"}).request());
  EXPECT_LE(all, 1000 / 60);
}

}  // namespace
}  // namespace hs::exec
