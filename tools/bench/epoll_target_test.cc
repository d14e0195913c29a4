// The load generator against the whole network server on tables in memory.
#include "epoll_target.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "hs_dialect.h"
#include "server/server.h"
#include "testing/fake_engine.h"
#include "testing/fixtures/own_tls.h"
#include "tls.h"

namespace hs::bench {
namespace {

constexpr uint32_t kRows = 200;

void no_log(std::string_view) {}

class EpollTargetTest : public ::testing::Test {
 protected:
  EpollTargetTest() {
    engine_.create_table(
        "test.user(user_id unsigned, user_name text null, user_email text null, created text null; "
        "PRIMARY(user_id))");
    for (uint32_t key = 1; key <= kRows; ++key) {
      const KnownRow row(key);
      engine_.add_row("test", "user",
                      {std::to_string(key), std::string(row.name()), std::string(row.email()),
                       std::string(row.created())});
    }
    workload_.keys = Keys::uniform(1, kRows);
    EXPECT_TRUE(certificate_.make());
    server::Config config;
    config.tls = &certificate_;
    config.endpoints = {{.port = "0"}, {.port = "0", .mode = engine::Mode::kReadWrite}};
    config.read_threads = config.write_threads = 1;
    std::string error;
    server_ = server::Server::start(config, engine_, {no_log, no_log, no_log}, &error);
    if (server_ != nullptr) place_.port = server_->port(engine::Mode::kReadOnly);
  }

  EpollTarget target(size_t connections, size_t depth) {
    return {place_, workload_, std::make_unique<HsDialect>(workload_), connections, depth};
  }

  net::OwnTls certificate_;
  testing::FakeEngine engine_;
  std::unique_ptr<server::Server> server_;
  Place place_;
  Workload workload_;
};

TEST_F(EpollTargetTest, AllRequestsAreAnsweredAndRight) {
  const Tally tally = target(7, 1).run({.requests = 1000});
  EXPECT_EQ(tally.answers(), 1000u);
  EXPECT_EQ(tally.rows, 1000u);
  EXPECT_EQ(tally.errors, 0u) << tally.first_error;
}

TEST_F(EpollTargetTest, PipelinesDeeperThanABufferAreAnswered) {
  const Tally tally = target(2, 3000).run({.requests = 8000});
  EXPECT_EQ(tally.answers(), 8000u);
  EXPECT_EQ(tally.errors, 0u) << tally.first_error;
}

TEST_F(EpollTargetTest, AnswersLongerThanABufferAreRead) {
  workload_.kind = Kind::kIn;
  workload_.count = 5000;
  const Tally tally = target(2, 2).run({.requests = 20});
  EXPECT_EQ(tally.answers(), 20u);
  EXPECT_EQ(tally.rows, 100'000u);
  EXPECT_EQ(tally.errors, 0u) << tally.first_error;
}

TEST_F(EpollTargetTest, AllOfThatIsTheSameOverTls) {
  const Tls tls("");
  place_.tls = &tls;
  EXPECT_EQ(target(7, 1).run({.requests = 1000}).rows, 1000u);
  EXPECT_EQ(target(2, 3000).run({.requests = 8000}).rows, 8000u);
  EXPECT_EQ(target(3, 2).run({.seconds = 0.05, .rate = 2000}).rows, 100u);
  workload_.kind = Kind::kIn;
  workload_.count = 5000;
  EXPECT_EQ(target(2, 2).run({.requests = 20}).rows, 100'000u);
}

TEST_F(EpollTargetTest, AServerThatTheFileDoesNotVouchForIsAFailure) {
  EXPECT_THROW(Tls("/nonexistent"), Failure);
  certificate_.is_off = true;
  const Tls tls("");
  place_.tls = &tls;
  EXPECT_THROW(target(1, 1), Failure);
}

TEST_F(EpollTargetTest, APhaseMayHaveFewerRequestsThanConnections) {
  EpollTarget few = target(10, 4);
  EXPECT_EQ(few.run({.requests = 3}).answers(), 3u);
  EXPECT_EQ(few.run({.first = 3, .requests = 50}).answers(), 50u);
}

TEST_F(EpollTargetTest, APhaseCanEndByTime) {
  const Tally tally = target(2, 2).run({.seconds = 0.05});
  EXPECT_GT(tally.answers(), 0u);
  EXPECT_GE(tally.seconds, 0.05);
}

TEST_F(EpollTargetTest, AMissingRowIsAnError) {
  workload_.keys = Keys::uniform(1, 2 * kRows);
  const Tally tally = target(2, 2).run({.requests = 1000});
  EXPECT_EQ(tally.answers(), 1000u);
  EXPECT_GT(tally.errors, 400u);
  EXPECT_LT(tally.errors, 600u);
  EXPECT_EQ(tally.rows, 1000 - tally.errors);
  EXPECT_TRUE(tally.first_error.ends_with(": 0\t3")) << tally.first_error;
}

TEST_F(EpollTargetTest, WithARateAllRequestsThatAreDueAreAnswered) {
  const Tally tally = target(3, 2).run({.seconds = 0.05, .rate = 2000});
  EXPECT_EQ(tally.answers(), 100u);
  EXPECT_EQ(tally.errors, 0u) << tally.first_error;
  EXPECT_GE(tally.seconds, 0.0495);  // the last request is due then
}

TEST_F(EpollTargetTest, LatencyCountsFromWhenARequestIsDue) {
  // Due within a microsecond, over one connection, one at a time: each waits for those before it.
  const Tally tally = target(1, 1).run({.requests = 1000, .rate = 1e9});
  EXPECT_EQ(tally.answers(), 1000u);
  const double mean_ns = tally.seconds * 1e9 / 1000;
  EXPECT_GT(static_cast<double>(tally.latency.max()), 900 * mean_ns);
}

TEST_F(EpollTargetTest, WritesAreDoneAndUpdatedRowsFound) {
  place_.port = server_->port(engine::Mode::kReadWrite);
  workload_.kind = Kind::kInsert;
  workload_.keys = Keys::scattered(1, kRows + 1, 300);
  EXPECT_EQ(target(3, 2).run({.requests = 300}).errors, 0u);
  EXPECT_EQ(engine_.rows("test", "user").size(), kRows + 300);
  EXPECT_EQ(target(3, 2).run({.requests = 300}).errors, 300u);  // the rows exist already

  workload_.kind = Kind::kFind;
  workload_.keys = Keys::uniform(1, kRows + 300);
  workload_.writes = 0.5;
  workload_.email = {64, true};
  EpollTarget mixed = target(1, 4);
  EXPECT_GT(mixed.run({.requests = 300}).errors, 0u);  // emails that are not padded yet
  workload_.writes = 1;
  workload_.keys = Keys::sequential(1, kRows + 300);
  EXPECT_EQ(mixed.run({.requests = kRows + 300}).errors, 0u);
  workload_.writes = 0.5;
  const Tally tally = mixed.run({.requests = 300});
  EXPECT_EQ(tally.errors, 0u) << tally.first_error;
}

TEST_F(EpollTargetTest, AServerThatEndsIsAFailure) {
  EpollTarget running = target(2, 2);
  server_->stop();
  EXPECT_THROW(running.run({.requests = 1000}), Failure);
  EXPECT_THROW(target(1, 1), Failure);
}

}  // namespace
}  // namespace hs::bench
