#include "server/connections.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "testing/fixtures/server_fixture.h"

namespace hs::server {
namespace {

class ConnectionsTest : public ServerTest {
 protected:
  ConnectionsTest() { fake_.add_row("d", "t", {"1", "one"}); }
  ~ConnectionsTest() override { faulty_.let_go(); }

  static constexpr const char* kOpen = "P\t1\td\tt\tPRIMARY\tk,v\n";
  static constexpr const char* kFind = "1\t=\t1\t1\n";

  static bool ended(TestClient& client) {
    const std::string line = client.line();
    return line == "EOF" || line == "ERROR";
  }
  // The only connection.
  ConnectionStatus only() {
    const std::vector<ConnectionStatus> all = server_->connections();
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? ConnectionStatus() : all.front();
  }
};

TEST_F(ConnectionsTest, EachIsListedWithWhatItHasDone) {
  start();
  EXPECT_TRUE(server_->connections().empty());
  TestClient client = writer();
  EXPECT_EQ(client.ask(kOpen), "0\t1");
  EXPECT_EQ(client.ask(kFind), "0\t2\t1\tone");
  EXPECT_EQ(client.ask("1\t+\t2\t1\tx\n"), "1\t1\t121");
  // The last reply may be here before it is counted.
  while (only().bytes_sent < 4u + 10 + 8) std::this_thread::yield();
  const ConnectionStatus status = only();
  EXPECT_EQ(status.endpoint, "127.0.0.1:" + std::to_string(write_port()));
  EXPECT_EQ(status.mode, engine::Mode::kReadWrite);
  EXPECT_EQ(status.info.host.substr(0, 10), "127.0.0.1:");
  EXPECT_EQ(status.info.user, "");
  EXPECT_EQ(status.open_indexes, 1u);
  EXPECT_EQ(status.requests, 3u);
  EXPECT_EQ(status.errors, 1u);
  EXPECT_EQ(status.bytes_received, std::string(kOpen).size() + std::string(kFind).size() + 10);
  EXPECT_EQ(status.bytes_sent, 4u + 10 + 8);
  EXPECT_GE(status.age_ms, status.idle_ms);
}

TEST_F(ConnectionsTest, OpenIndexesAreListedWithTheirUseUntilTheLastConnectionCloses) {
  start();
  {
    TestClient one = writer();
    TestClient two = writer();
    EXPECT_EQ(one.ask(std::string(kOpen)), "0\t1");
    EXPECT_EQ(two.ask(std::string(kOpen)), "0\t1");
    for (int i = 0; i < 3; ++i) EXPECT_EQ(one.ask(kFind), "0\t2\t1\tone");
    EXPECT_EQ(two.ask("1\t=\t1\t2\n"), "0\t2");
    EXPECT_EQ(two.ask("P\t1\td\tt\tPRIMARY\tv\n"), "0\t1");
    std::vector<IndexStatus> indexes = server_->indexes();
    ASSERT_EQ(indexes.size(), 2u);
    if (indexes[0].spec->columns.size() == 1) std::swap(indexes[0], indexes[1]);
    EXPECT_EQ(indexes[0].mode, engine::Mode::kReadWrite);
    EXPECT_EQ(indexes[0].spec->columns, (std::vector<std::string>{"k", "v"}));
    EXPECT_EQ(indexes[0].connections, 1u);
    EXPECT_EQ(indexes[0].requests, 4u);
    EXPECT_EQ(indexes[0].rows, 3u);
    EXPECT_EQ(indexes[1].connections, 1u);
    EXPECT_EQ(indexes[1].requests, 0u);
  }
  while (!server_->connections().empty()) std::this_thread::yield();
  for (const IndexStatus& index : server_->indexes()) EXPECT_EQ(index.connections, 0u);
}

TEST_F(ConnectionsTest, TimesAreCountedByModeAndKind) {
  start();
  TestClient read = reader();
  TestClient write = writer();
  for (TestClient* client : {&read, &write}) EXPECT_EQ(client->ask(kOpen), "0\t1");
  read.send(std::string(kFind) + kFind + kFind);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(read.line(), "0\t2\t1\tone");
  EXPECT_EQ(write.ask("1\t+\t2\t7\tx\n"), "0\t1");
  EXPECT_EQ(write.ask("1\t=\t1\t7\t1\t0\tU\t7\ty\n"), "0\t1\t1");
  EXPECT_EQ(write.ask("1\t=\t1\t7\t1\t0\tD\n"), "0\t1\t1");
  const auto counts = [&](engine::Mode mode) {
    std::vector<uint64_t> found;
    for (const LatencyStatus& status : server_->latencies()) {
      if (status.mode != mode) continue;
      for (const LatencySum& kind : status.kinds) found.push_back(kind.count());
    }
    return found;
  };
  using Counts = std::vector<uint64_t>;
  // Times are counted when the replies are out.
  while (counts(engine::Mode::kReadOnly) != Counts{3, 0, 0, 0, 1}) std::this_thread::yield();
  while (counts(engine::Mode::kReadWrite) != Counts{0, 1, 1, 1, 1}) std::this_thread::yield();
}

TEST_F(ConnectionsTest, TheTimeOfARequestThatWaitsIncludesTheWait) {
  config_.read_threads = 1;
  start();
  TestClient waits = reader();
  TestClient other = reader();
  for (TestClient* client : {&waits, &other}) EXPECT_EQ(client->ask(kOpen), "0\t1");
  faulty_.hold(testing::Call::kSeek, 1, engine::SessionEvents::Wait::kRead);
  waits.send(kFind);
  faulty_.wait_for_held(1);
  const int64_t begin_ns = monotonic_ns();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(other.ask(kFind), "0\t2\t1\tone");
  const int64_t waited_ns = monotonic_ns() - begin_ns;
  faulty_.let_go();
  EXPECT_EQ(waits.line(), "0\t2\t1\tone");
  const auto finds = [&] {
    for (const LatencyStatus& status : server_->latencies()) {
      if (status.mode == engine::Mode::kReadOnly) return status.kinds[0];
    }
    return LatencySum();
  };
  while (finds().count() != 101) std::this_thread::yield();
  EXPECT_GE(finds().longest_ns(), static_cast<uint64_t>(waited_ns));
}

TEST_F(ConnectionsTest, IdsAreNeverUsedAgain) {
  start();
  uint64_t last = 0;
  for (int i = 0; i < 5; ++i) {
    {
      TestClient client = i % 2 == 0 ? reader() : writer();
      EXPECT_EQ(client.ask("X\n"), "2\t1\tcmd");
      const uint64_t id = only().id;
      EXPECT_GT(id, last);
      last = id;
    }
    while (!server_->connections().empty()) std::this_thread::yield();
  }
}

TEST_F(ConnectionsTest, AnIdleOneCanBeKilledAndAnUnknownOneCannot) {
  start();
  TestClient stays = reader();
  EXPECT_EQ(stays.ask("X\n"), "2\t1\tcmd");
  const uint64_t other = only().id;
  TestClient client = reader();
  EXPECT_EQ(client.ask("X\n"), "2\t1\tcmd");
  EXPECT_FALSE(server_->kill(0));
  EXPECT_FALSE(server_->kill(other + 2));
  EXPECT_TRUE(server_->kill(other + 1));
  EXPECT_TRUE(ended(client));
  EXPECT_EQ(stays.ask("X\n"), "2\t1\tcmd");
  while (server_->connections().size() != 1) std::this_thread::yield();
  EXPECT_FALSE(server_->kill(other + 1));
}

TEST_F(ConnectionsTest, OneWhoseRequestWaitsIsClosedWhenTheRequestEnds) {
  config_.read_threads = config_.write_threads = 1;
  start();
  TestClient client = writer();
  EXPECT_EQ(client.ask(kOpen), "0\t1");
  const uint64_t id = only().id;
  faulty_.hold(testing::Call::kBeginRequest, 1, engine::SessionEvents::Wait::kRead);
  client.send(kFind);
  faulty_.wait_for_held(1);
  EXPECT_EQ(only().state, "executing");
  EXPECT_TRUE(server_->kill(id));
  TestClient other = writer();
  EXPECT_EQ(other.ask("X\n"), "2\t1\tcmd");
  faulty_.let_go();
  EXPECT_TRUE(ended(client));
}

TEST_F(ConnectionsTest, OneThatWasJustAcceptedCanBeKilled) {
  engine_.close_gate();
  start();
  std::vector<TestClient> clients;
  for (uint64_t i = 1; i <= 4; ++i) {
    clients.push_back(reader());
    await_accepted(i);
    EXPECT_TRUE(server_->kill(i));
  }
  engine_.open_gate(true);
  for (TestClient& client : clients) EXPECT_TRUE(ended(client));
}

TEST_F(ConnectionsTest, TheListIsReadAndConnectionsAreKilledWhileOthersComeAndGo) {
  start();
  std::atomic<bool> stop{false};
  std::thread looks([&] {
    while (!stop) {
      for (const ConnectionStatus& status : server_->connections()) {
        if (status.id % 5 == 0) server_->kill(status.id);
      }
      (void)server_->indexes();
      (void)server_->latencies();
    }
  });
  std::vector<std::thread> clients;
  for (int thread = 0; thread < 3; ++thread) {
    clients.emplace_back([&, thread] {
      for (int round = 0; round < 50; ++round) {
        TestClient client = thread == 0 ? reader() : writer();
        client.send(std::string(kOpen) + kFind + kFind);
        for (int reply = 0; reply < 3; ++reply) client.line();
      }
    });
  }
  for (std::thread& client : clients) client.join();
  stop = true;
  looks.join();
  await_open(0);
}

}  // namespace
}  // namespace hs::server
