// What changes while the server runs.
#include "server/settings.h"

#include <sys/resource.h>

#include <string>
#include <thread>
#include <vector>

#include "server/reactor.h"
#include "testing/fixtures/server_fixture.h"

namespace hs::server {
namespace {

class SettingsTest : public ServerTest {
 protected:
  // Changes the settings by `change`, which is given the present ones.
  template <class Change>
  void set(Change change) {
    change(static_cast<Settings&>(config_));
    server_->change(config_);
  }
};

TEST_F(SettingsTest, LimitsOfRequestsHoldForTheNextRequestOfAnOpenConnection) {
  start();
  TestClient read = reader();
  TestClient write = writer();
  ASSERT_EQ(read.ask(kOpen), "0\t1");
  ASSERT_EQ(write.ask(kOpen), "0\t1");
  for (const char* key : {"1", "2", "3"}) {
    ASSERT_EQ(write.ask("1\t+\t2\t" + std::string(key) + "\tv\n"), "0\t1");
  }
  const std::string two = "1\t>=\t1\t0\t2\t0\n";
  const std::string in = "1\t=\t1\t\t9\t0\t@\t0\t2\t1\t2\n";
  const std::string del = "1\t>=\t1\t2\t9\t0\tD\n";
  EXPECT_EQ(read.ask(two), "0\t2\t1\tv\t2\tv");
  EXPECT_EQ(read.ask(in), "0\t2\t1\tv\t2\tv");
  set([](Settings& settings) {
    settings.limits.max_rows = 1;
    settings.limits.max_in_keys = 1;
    settings.limits.max_changed_rows = 1;
    settings.limits.max_open_indexes = 1;
    settings.limits.max_columns = 1;
  });
  EXPECT_EQ(read.ask(two), "2\t1\ttoo_many_rows");
  EXPECT_EQ(read.ask(in), "2\t1\ttoo_many_keys");
  EXPECT_EQ(write.ask(del), "2\t1\ttoo_many_rows");
  EXPECT_EQ(read.ask("P\t2\td\tt\tPRIMARY\tk\n"), "2\t1\ttoo_many_indexes");
  EXPECT_EQ(read.ask("P\t1\td\tt\tPRIMARY\tk,v\n"), "2\t1\ttoo_many_columns");
  set([](Settings& settings) { settings.limits = {}; });
  EXPECT_EQ(read.ask(two), "0\t2\t1\tv\t2\tv");
  EXPECT_EQ(read.ask("P\t2\td\tt\tPRIMARY\tk\n"), "0\t1");
  EXPECT_EQ(write.ask(del), "0\t1\t2");
}

TEST_F(SettingsTest, SizesOfRequestsAndRepliesHoldForTheNextRequestOfAnOpenConnection) {
  start();
  TestClient read = reader();
  TestClient write = writer();
  ASSERT_EQ(read.ask(kOpen), "0\t1");
  ASSERT_EQ(write.ask(kOpen), "0\t1");
  const std::string value(3000, 'v');
  ASSERT_EQ(write.ask("1\t+\t2\t1\t" + value + "\n"), "0\t1");
  EXPECT_EQ(read.ask("1\t=\t1\t1\n"), "0\t2\t1\t" + value);
  set([](Settings& settings) { settings.limits.max_reply_size = 1024; });
  EXPECT_EQ(read.ask("1\t=\t1\t1\n"), "2\t1\treply_too_long");
  set([](Settings& settings) {
    settings.limits.max_reply_size = 4096;
    settings.limits.max_request_size = 1024;
  });
  EXPECT_EQ(read.ask("1\t=\t1\t1\n"), "0\t2\t1\t" + value);
  EXPECT_EQ(write.ask("1\t+\t2\t2\t" + value + "\n"), "2\t1\trequest_too_long");
}

TEST_F(SettingsTest, FewerConnectionsRefuseNewOnesAndCloseNone) {
  start();
  std::vector<TestClient> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(reader());
    ASSERT_EQ(clients.back().ask(kOpen), "0\t1");
  }
  set([](Settings& settings) { settings.limits.max_connections = 2; });
  EXPECT_EQ(reader().line(), "1\t1\ttoo_many_connections");
  for (TestClient& client : clients) EXPECT_EQ(client.ask("1\t=\t1\t1\n"), "0\t2");
  set([](Settings& settings) { settings.limits.max_connections = 5; });
  TestClient fifth = reader();
  EXPECT_EQ(fifth.ask(kOpen), "0\t1");
  EXPECT_EQ(reader().line(), "1\t1\ttoo_many_connections");
}

TEST_F(SettingsTest, LessMemoryRefusesMoreAndTakesNothingBack) {
  start();
  TestClient write = writer();
  ASSERT_EQ(write.ask(kOpen), "0\t1");
  const std::string insert = "1\t+\t2\t1\t" + std::string(300'000, 'v') + "\n";
  ASSERT_EQ(write.ask(insert), "0\t1");
  set([](Settings& settings) { settings.limits.max_memory = 100'000; });
  TestClient other = writer();
  ASSERT_EQ(other.ask(kOpen), "0\t1");
  EXPECT_EQ(other.ask(insert), "1\t1\tmax_memory");
  EXPECT_EQ(write.ask("1\t=\t1\t9\n"), "0\t2");
  set([](Settings& settings) { settings.limits.max_memory = 0; });
  TestClient third = writer();
  ASSERT_EQ(third.ask(kOpen), "0\t1");
  EXPECT_EQ(third.ask("1\t+\t2\t2\t" + std::string(300'000, 'v') + "\n"), "0\t1");
}

TEST_F(SettingsTest, AShorterTimeoutClosesConnectionsThatAreIdleAlready) {
  start();
  TestClient idle = reader();
  ASSERT_EQ(idle.ask(kOpen), "0\t1");
  set([](Settings& settings) { settings.idle_timeout_s = 1; });
  EXPECT_EQ(idle.line(), "EOF");
  while (server_->statistics().connections_timed_out != 1) std::this_thread::yield();
}

TEST_F(SettingsTest, AClientThatDoesNotAuthenticateInTimeIsClosedWhateverItSends) {
  read_.authentication.secret = "sesame";
  write_.authentication.secret = "sesame";
  config_.login_timeout_s = 3600;
  start();
  for (const bool writes : {false, true}) {
    TestClient stranger = writes ? writer() : reader();
    TestClient guest = writes ? writer() : reader();
    ASSERT_EQ(guest.ask("A\t1\tsesame\n"), "0\t1");
    ASSERT_EQ(stranger.ask("A\t1\topen\n"), "3\t1\tunauth");
    set([](Settings& settings) { settings.login_timeout_s = 1; });
    for (std::string answer = "3\t1\tunauth"; answer != "EOF"; answer = stranger.line()) {
      ASSERT_EQ(answer, "3\t1\tunauth");
      stranger.send("1\t=\t1\t1\n");
    }
    EXPECT_EQ(guest.ask(kOpen), "0\t1");
  }
  const Statistics sum = server_->statistics();
  EXPECT_EQ(sum.logins_timed_out, 2u);
  EXPECT_EQ(sum.connections_timed_out, 0u);
}

TEST_F(SettingsTest, AConnectionIsShownAsAuthenticatingUntilItHas) {
  read_.authentication.secret = "sesame";
  start();
  TestClient client = reader();
  await_accepted(1);
  EXPECT_EQ(server_->connections().at(0).state, "authenticating");
  ASSERT_EQ(client.ask("A\t1\tsesame\n"), "0\t1");
  while (server_->connections().at(0).state != "idle") std::this_thread::yield();
}

TEST_F(SettingsTest, AClientThatDoesNotReadIsServedToTheEndWhateverBecomesOfItsBuffer) {
  config_.limits.max_buffered = 4096;
  start();
  TestClient write = writer();
  ASSERT_EQ(write.ask(kOpen), "0\t1");
  const std::string value(100'000, 'v');
  ASSERT_EQ(write.ask("1\t+\t2\t1\t" + value + "\n"), "0\t1");
  TestClient read = reader();
  ASSERT_EQ(read.ask(kOpen), "0\t1");
  // More than the sockets hold, so that the server has to wait for the client.
  constexpr int kRequests = 200;
  std::string requests;
  for (int i = 0; i < kRequests; ++i) requests += "1\t=\t1\t1\n";
  ASSERT_TRUE(read.send(requests));
  for (int i = 0; i < kRequests; ++i) {
    set([i](Settings& settings) { settings.limits.max_buffered = i % 2 == 0 ? 1u << 20 : 4096; });
    ASSERT_EQ(read.line(), "0\t2\t1\t" + value) << i;
  }
}

TEST_F(SettingsTest, ChangesUnderLoadLoseNoReply) {
  config_.read_threads = 1;
  start();
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      TestClient client = i % 2 == 0 ? reader() : writer();
      EXPECT_EQ(client.ask(kOpen), "0\t1");
      while (!stop) EXPECT_EQ(client.ask("1\t=\t1\t1\n1\t=\t1\t2\n"), "0\t2"), client.line();
    });
  }
  await_accepted(4);
  for (uint32_t i = 0; i < 300; ++i) {
    set([i](Settings& settings) {
      settings.readsize = 1 + i % 100;
      settings.spin_us = i % 50;
      settings.sndbuf = settings.rcvbuf = i % 3 * 8192;
      settings.limits.max_rows = 1 + i;
      settings.limits.max_reply_size = 1024 + i;
    });
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

TEST_F(SettingsTest, MoreThreadsTakeNewConnectionsAndFewerEndWhenTheirsHaveGone) {
  config_.read_threads = 1;
  config_.spare_thread_ms = 1;
  start();
  const auto threads = [&](uint64_t number) {
    while (server_->statistics().threads != number) std::this_thread::yield();
  };
  threads(2 + 3);  // a spare one for each port
  std::string error;
  ASSERT_TRUE(server_->resize(4, 2, 256, &error)) << error;
  threads(5 + 3);
  std::vector<TestClient> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(reader());
    ASSERT_EQ(clients.back().ask(kOpen), "0\t1");
  }
  ASSERT_TRUE(server_->resize(1, 1, 256, &error)) << error;
  for (TestClient& client : clients) EXPECT_EQ(client.ask("1\t=\t1\t1\n"), "0\t2");
  clients.clear();
  threads(2 + 2);
  TestClient client = reader();
  EXPECT_EQ(client.ask(kOpen), "0\t1");
  ASSERT_TRUE(server_->resize(3, 1, 256, &error)) << error;
  threads(4 + 2);
  EXPECT_EQ(client.ask("1\t=\t1\t1\n"), "0\t2");
  EXPECT_FALSE(server_->resize(0, 1, 256, &error));
  EXPECT_NE(error.find("handlersocket_threads is 0"), std::string::npos);
}

TEST_F(SettingsTest, ThreadsForWhichThereAreNoDescriptorsAreRefused) {
  start();
  TestClient client = reader();
  ASSERT_EQ(client.ask(kOpen), "0\t1");
  // UBSan looks at the type of what is destroyed, which takes descriptors of its own the first time.
  const SharedSettings settings{Settings{}};
  Reactor::Options options;
  options.settings = &settings;
  Reactor::create(options).reset();
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit low{200, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  std::string error;
  EXPECT_FALSE(server_->resize(600, 1, 1000, &error));
  EXPECT_EQ(error, "too few file descriptors for 600 threads (handlersocket_threads)");
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(client.ask("1\t=\t1\t1\n"), "0\t2");
  EXPECT_TRUE(server_->resize(8, 1, 1000, &error)) << error;
}

TEST_F(SettingsTest, ThreadsThatAreTooManyKeepTheirDescriptorsAndAreCounted) {
  engine_.wanted = 1000;
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit low{400, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  start();
  const auto takes = [this](int connections) {
    set([](Settings& settings) { ++settings.limits.max_connections; });
    return was_logged("all ports together take " + std::to_string(connections) + " connections");
  };
  EXPECT_TRUE(
      takes(184));  // 400, less 200 of the database, 8 of the endpoints, and 2 for each thread
  std::string error;
  ASSERT_TRUE(server_->resize(12, 2, 256, &error)) << error;
  EXPECT_TRUE(takes(164));
  ASSERT_TRUE(server_->resize(1, 1, 256, &error)) << error;
  ASSERT_TRUE(server_->resize(13, 2, 256, &error)) << error;
  EXPECT_TRUE(takes(162));
  ASSERT_TRUE(server_->resize(1, 1, 256, &error)) << error;
  EXPECT_FALSE(takes(188));
  ASSERT_TRUE(server_->relisten(config().endpoints, config_.backlog, &error)) << error;
  EXPECT_FALSE(takes(188));
  ::setrlimit(RLIMIT_NOFILE, &before);
}

TEST_F(SettingsTest, ThreadsComeAndGoUnderLoadAndNoReplyIsLost) {
  config_.spare_thread_ms = 1;
  start();
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      while (!stop) {
        TestClient client = i % 2 == 0 ? reader() : writer();
        EXPECT_EQ(client.ask(kOpen), "0\t1");
        for (int j = 0; j < 20; ++j) EXPECT_EQ(client.ask("1\t=\t1\t1\n"), "0\t2");
      }
    });
  }
  const uint32_t numbers[] = {1, 4, 2, 8, 3, 1, 5};
  for (int round = 0; round < 10; ++round) {
    for (const uint32_t number : numbers) {
      std::string error;
      ASSERT_TRUE(server_->resize(number, 9 - number, 1 + 3 * number, &error)) << error;
      (void)server_->statistics();
      (void)server_->latencies();
    }
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

TEST_F(SettingsTest, AChangeAfterTheStopDoesNothing) {
  start();
  server_->stop();
  set([](Settings& settings) { settings.sndbuf = 4096; });
}

TEST_F(SettingsTest, ACopySeesEachChangeOnceAndAsAWhole) {
  SharedSettings shared{Settings{}};
  SettingsCopy copy(shared);
  EXPECT_FALSE(copy.renew());
  Settings settings;
  settings.spin_us = 1;
  settings.limits.max_rows = 2;
  shared.change(settings);
  EXPECT_TRUE(copy.renew());
  EXPECT_FALSE(copy.renew());
  EXPECT_EQ(copy->spin_us, 1u);
  EXPECT_EQ(copy->limits.max_rows, 2u);
}

}  // namespace
}  // namespace hs::server
