// The load generator against the whole network server on tables in memory.
#include "hs_target.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "report.h"
#include "server/server.h"
#include "testing/fake_engine.h"

namespace hs::bench {
namespace {

constexpr uint32_t kRows = 200;

void no_log(std::string_view) {}

class HsTargetTest : public ::testing::Test {
 protected:
  HsTargetTest() {
    engine_.create_table(
        "test.user(user_id unsigned, user_name text null, user_email text null, created text null; "
        "PRIMARY(user_id))");
    for (uint32_t key = 1; key <= kRows; ++key) {
      const KnownRow row(key);
      engine_.add_row("test", "user",
                      {std::to_string(key), std::string(row.name()), std::string(row.email()),
                       std::string(row.created())});
    }
    server::Config config;
    config.read = {"0", 1};
    config.write = {"", 1};
    std::string error;
    server_ = server::Server::start(config, engine_, {no_log, no_log, no_log}, &error);
    if (server_ != nullptr) place_.port = server_->read_port();
  }

  testing::FakeEngine engine_;
  std::unique_ptr<server::Server> server_;
  Place place_;
};

TEST_F(HsTargetTest, AllRequestsAreAnsweredAndRight) {
  HsTarget target(place_, 7, 1);
  const Tally tally = target.run(Keys(1, kRows), {0, 1000, 0, {}});
  EXPECT_EQ(tally.answers(), 1000u);
  EXPECT_EQ(tally.errors, 0u) << tally.first_error;
}

TEST_F(HsTargetTest, PipelinesDeeperThanABufferAreAnswered) {
  HsTarget target(place_, 2, 3000);
  const Tally tally = target.run(Keys(1, kRows), {0, 8000, 0, {}});
  EXPECT_EQ(tally.answers(), 8000u);
  EXPECT_EQ(tally.errors, 0u) << tally.first_error;
}

TEST_F(HsTargetTest, APhaseMayHaveFewerRequestsThanConnections) {
  HsTarget target(place_, 10, 4);
  EXPECT_EQ(target.run(Keys(1, kRows), {0, 3, 0, {}}).answers(), 3u);
  EXPECT_EQ(target.run(Keys(1, kRows), {3, 50, 0, {}}).answers(), 50u);
}

TEST_F(HsTargetTest, APhaseCanEndByTime) {
  HsTarget target(place_, 2, 2);
  const Tally tally = target.run(Keys(1, kRows), {0, 0, 0.05, {}});
  EXPECT_GT(tally.answers(), 0u);
  EXPECT_GE(tally.seconds, 0.05);
}

TEST_F(HsTargetTest, AMissingRowIsAnError) {
  HsTarget target(place_, 2, 2);
  const Tally tally = target.run(Keys(1, 2 * kRows), {0, 1000, 0, {}});
  EXPECT_EQ(tally.answers(), 1000u);
  EXPECT_GT(tally.errors, 400u);
  EXPECT_LT(tally.errors, 600u);
  EXPECT_TRUE(tally.first_error.ends_with(": 0\t3")) << tally.first_error;
}

TEST_F(HsTargetTest, AServerThatEndsIsAFailure) {
  HsTarget target(place_, 2, 2);
  server_->stop();
  EXPECT_THROW(target.run(Keys(1, kRows), {0, 1000, 0, {}}), Failure);
  EXPECT_THROW(HsTarget(place_, 1, 1), Failure);
}

TEST(ReportTest, JsonHasEveryFigure) {
  Report report{"hs", 2, 1, {}, 0.5};
  for (int i = 0; i < 1000; ++i) report.tally.latency.record(2000);
  report.tally.seconds = 2;
  report.tally.count_error(7, "a\t\"");
  EXPECT_EQ(as_json(report),
            "{\"target\":\"hs\",\"connections\":2,\"depth\":1,\"lookups\":1000,\"errors\":1,"
            "\"seconds\":2.000,\"per_second\":500.000,\"latency_us\":{\"p50\":2.000,\"p90\":2.000,"
            "\"p99\":2.000,\"p99.9\":2.000,\"max\":2.000},\"server_cpu_seconds\":0.500,"
            "\"server_cpu_us\":500.000,\"first_error\":\"the answer for 7: a\\u0009\\u0022\"}\n");
}

}  // namespace
}  // namespace hs::bench
