#include "server/server.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <thread>
#include <vector>

#include "server/forwarding_session.h"
#include "server/test_client.h"
#include "testing/fake_engine.h"
#include "testing/faulty_engine.h"

namespace hs::server {
namespace {

std::mutex logged_mutex;
std::string logged;

void log_line(std::string_view message) {
  const std::lock_guard lock(logged_mutex);
  logged += std::string(message) + "\n";
}
bool was_logged(std::string_view text) {
  const std::lock_guard lock(logged_mutex);
  return logged.find(text) != std::string::npos;
}

// For Unix sockets; whoever asks for it removes it.
std::string make_directory() {
  char name[] = "/tmp/hs-server-XXXXXX";
  return ::mkdtemp(name);
}

// A session that keeps its tables after each batch, as a real one does.
class HoldingSession final : public ForwardingSession {
 public:
  HoldingSession(std::unique_ptr<engine::Session> inner, std::atomic<int>& held,
                 std::atomic<int>& released)
      : ForwardingSession(std::move(inner)), held_(held), released_(released) {}

  bool after_batch() override {
    ++held_;
    return true;
  }
  void release() override { ++released_; }

 private:
  std::atomic<int>& held_;
  std::atomic<int>& released_;
};

// An engine that is ready when the test says so, and tells which threads used it.
class GatedEngine : public engine::Engine {
 public:
  explicit GatedEngine(engine::Engine& inner) : inner_(inner) {}

  void close_gate() { state_ = kClosed; }
  void open_gate(bool ready) {
    state_ = ready ? kReady : kNever;
    state_.notify_all();
  }
  std::vector<std::string> sessions() {
    const std::lock_guard lock(mutex_);
    return sessions_;
  }
  bool signals_were_blocked() const { return signals_blocked_; }

  std::atomic<int> held{0};      // calls of after_batch(), of all sessions
  std::atomic<int> released{0};  // calls of release()

  bool wait_until_ready() override {
    state_.wait(kClosed);
    return state_ == kReady && inner_.wait_until_ready();
  }
  std::unique_ptr<engine::Session> make_session(engine::Mode mode, std::string_view name,
                                                engine::SessionEvents events) override {
    char thread_name[16] = "";
    ::pthread_getname_np(::pthread_self(), thread_name, sizeof thread_name);
    sigset_t mask;
    ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    const std::lock_guard lock(mutex_);
    if (!::sigismember(&mask, SIGTERM) || !::sigismember(&mask, SIGHUP)) signals_blocked_ = false;
    sessions_.push_back(name == thread_name ? std::string(name) : "differs");
    auto session = inner_.make_session(mode, name, events);
    if (session == nullptr) return nullptr;
    return std::make_unique<HoldingSession>(std::move(session), held, released);
  }

 private:
  enum State : int { kClosed, kReady, kNever };
  engine::Engine& inner_;
  std::atomic<int> state_{kReady};
  std::atomic<bool> signals_blocked_{true};
  std::mutex mutex_;
  std::vector<std::string> sessions_;
};

class ServerTest : public ::testing::Test {
 protected:
  ServerTest() : faulty_(fake_), engine_(faulty_) {
    fake_.create_table("d.t(k int, v text null; PRIMARY(k))");
    config_.read = {"0", 2};
    config_.write = {"0", 2};
    config_.backlog = 1000;
    const std::lock_guard lock(logged_mutex);
    logged.clear();
  }
  ~ServerTest() override { engine_.open_gate(false); }

  void start() {
    std::string error;
    server_ = Server::start(config_, engine_, kLog, &error);
    ASSERT_NE(server_, nullptr) << error;
  }
  std::string start_error() {
    std::string error;
    return Server::start(config_, engine_, kLog, &error) == nullptr ? error : "none";
  }
  TestClient reader() { return TestClient::tcp(server_->read_port()); }
  TestClient writer() { return TestClient::tcp(server_->write_port()); }
  // Until all of the acceptors' work so far is done.
  void await_accepted(uint64_t connections) {
    while (server_->statistics().connections_accepted < connections) std::this_thread::yield();
  }
  void await_open(uint64_t connections) {
    while (server_->statistics().connections_open != connections) std::this_thread::yield();
  }

  static constexpr Log kLog{log_line, log_line, log_line};
  static constexpr std::string_view kOpen = "P\t1\td\tt\tPRIMARY\tk,v\n";

  testing::FakeEngine fake_;
  testing::FaultyEngine faulty_;
  GatedEngine engine_;
  Config config_;
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, ServesBothPorts) {
  start();
  TestClient write = writer();
  EXPECT_EQ(write.ask(kOpen), "0\t1");
  EXPECT_EQ(write.ask("1\t+\t2\t5\tfive\n"), "0\t1");
  TestClient read = reader();
  EXPECT_EQ(read.ask(kOpen), "0\t1");
  EXPECT_EQ(read.ask("1\t=\t1\t5\r\n"), "0\t2\t5\tfive");
  EXPECT_EQ(read.ask("1\t+\t2\t6\tsix\n"), "2\t1\treadonly");
  EXPECT_EQ(read.ask("X\n"), "2\t1\tcmd");
  const Statistics sum = server_->statistics();
  EXPECT_EQ(sum.connections_accepted, 2u);
  EXPECT_EQ(sum.connections_open, 2u);
  EXPECT_GT(sum.bytes_received, 50u);
  EXPECT_GT(sum.bytes_sent, 30u);
  EXPECT_TRUE(was_logged("listening for reads on port " + std::to_string(server_->read_port()) +
                         " on 127.0.0.1, threads: 2\n"));
}

TEST_F(ServerTest, RequestsThatComeByteByByteAndPipelinedGetTheirRepliesInOrder) {
  start();
  TestClient client = writer();
  for (char byte : kOpen) ASSERT_TRUE(client.send({&byte, 1}));
  EXPECT_EQ(client.line(), "0\t1");
  std::string requests;
  for (int i = 0; i < 10'000; ++i) {
    const std::string key = std::to_string(i);
    requests += "1\t+\t2\t" + key + "\tv\n1\t=\t1\t" + key + "\n";
  }
  std::thread sender([&] { client.send(requests); });
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_EQ(client.line(), "0\t1");
    ASSERT_EQ(client.line(), "0\t2\t" + std::to_string(i) + "\tv");
  }
  sender.join();
}

TEST_F(ServerTest, RequestsOfSeveralConnectionsAreOneBatch) {
  config_.write.threads = 1;
  engine_.close_gate();
  start();
  std::vector<TestClient> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(writer());
    clients.back().send(std::string(kOpen) + "1\t+\t2\t" + std::to_string(i) + "\tv\n");
  }
  await_accepted(20);
  engine_.open_gate(true);
  for (TestClient& client : clients) {
    EXPECT_EQ(client.line(), "0\t1");
    EXPECT_EQ(client.line(), "0\t1");
  }
  EXPECT_EQ(server_->statistics().batches, 1u);
  EXPECT_EQ(server_->statistics().requests, 40u);
}

// The write port, one thread, over a Unix socket: what a client has sent is there for the next
// look.
class GatherTest : public ServerTest {
 protected:
  GatherTest() {
    directory_ = make_directory();
    config_.address = "/";
    config_.read.port = "";
    config_.write = {directory_ + "/write", 1};
    start();
  }
  ~GatherTest() override {
    faulty_.let_go();
    server_->stop();
    std::filesystem::remove_all(directory_);
  }
  TestClient opened() {
    TestClient client = TestClient::unix_socket(config_.write.port);
    EXPECT_EQ(client.ask(kOpen), "0\t1");
    return client;
  }
  static std::string insert(int key) { return "1\t+\t2\t" + std::to_string(key) + "\tv\n"; }

  std::string directory_;
};

TEST_F(GatherTest, WhatComesWhileABatchRunsSharesItsCommit) {
  TestClient first = opened(), second = opened(), third = opened();
  const uint64_t batches = server_->statistics().batches;
  faulty_.hold(testing::Call::kInsert, 1, {});
  first.send(insert(1));
  faulty_.wait_for_held(1);
  second.send(insert(2));
  third.send("1\t=\t1\t1\n");
  faulty_.let_go();
  EXPECT_EQ(first.line(), "0\t1");
  EXPECT_EQ(second.line(), "0\t1");
  EXPECT_EQ(third.line(), "0\t2\t1\tv");
  EXPECT_EQ(server_->statistics().batches - batches, 1u);
}

TEST_F(GatherTest, WhatHasOnlyReadIsAnsweredBeforeWhatComesMeanwhile) {
  TestClient first = opened(), second = opened();
  const uint64_t batches = server_->statistics().batches;
  faulty_.hold(testing::Call::kSeek, 1, {});
  first.send("1\t=\t1\t1\n");
  faulty_.wait_for_held(1);
  second.send(insert(1));
  faulty_.let_go();
  EXPECT_EQ(first.line(), "0\t2");
  EXPECT_EQ(second.line(), "0\t1");
  EXPECT_EQ(server_->statistics().batches - batches, 2u);
}

TEST_F(GatherTest, WhatAConnectionOfTheBatchSendsMeanwhileIsForTheNext) {
  TestClient client = opened();
  const uint64_t batches = server_->statistics().batches;
  faulty_.hold(testing::Call::kInsert, 1, {});
  client.send(insert(1));
  faulty_.wait_for_held(1);
  client.send(insert(2) + "1\t=\t1\t1\n");
  faulty_.let_go();
  EXPECT_EQ(client.line(), "0\t1");
  EXPECT_EQ(client.line(), "0\t1");
  EXPECT_EQ(client.line(), "0\t2\t1\tv");
  EXPECT_EQ(server_->statistics().batches - batches, 2u);
}

TEST_F(GatherTest, WhoeverComesOrGoesWhileABatchRunsHarmsNobody) {
  TestClient first = opened(), second = opened();
  for (int round = 0; round < 10; ++round) {
    TestClient goes = opened();
    const uint64_t open = server_->statistics().connections_open;
    faulty_.hold(testing::Call::kInsert, 1, {});
    goes.send(insert(100 * round + 1));
    faulty_.wait_for_held(1);
    second.send(insert(100 * round + 2).substr(0, 5));
    { const TestClient gone = std::move(goes); }
    TestClient comes = TestClient::unix_socket(config_.write.port);
    comes.send(std::string(kOpen) + insert(100 * round + 3));
    faulty_.let_go();
    EXPECT_EQ(comes.line(), "0\t1");
    EXPECT_EQ(comes.line(), "0\t1");
    EXPECT_EQ(second.ask(insert(100 * round + 2).substr(5)), "0\t1");
    EXPECT_EQ(first.ask("1\t=\t1\t" + std::to_string(100 * round + 1) + "\n"),
              "0\t2\t" + std::to_string(100 * round + 1) + "\tv");
    await_open(open);
  }
}

TEST_F(ServerTest, HalfClosedClientsGetAllRepliesAndThenTheEnd) {
  start();
  TestClient client = writer();
  client.send(std::string(kOpen) + "1\t+\t2\t1\tone\n1\t=\t1\t1\n1\t=\t1\t1");
  client.end_output();
  EXPECT_EQ(client.line(), "0\t1");
  EXPECT_EQ(client.line(), "0\t1");
  EXPECT_EQ(client.line(), "0\t2\t1\tone");
  EXPECT_EQ(client.line(), "EOF");
  await_open(0);
}

TEST_F(ServerTest, AClientThatReadsLateGetsAllAndHoldsUpNobody) {
  config_.write.threads = 1;
  start();
  TestClient slow = writer();
  ASSERT_EQ(slow.ask(kOpen), "0\t1");
  const std::string value(50'000, 'v');
  ASSERT_EQ(slow.ask("1\t+\t2\t1\t" + value + "\n"), "0\t1");
  constexpr int kRequests = 2000;  // 100 MB of replies
  std::thread sender([&] {
    for (int i = 0; i < kRequests; ++i) slow.send("1\t=\t1\t1\n");
  });
  TestClient other = writer();
  EXPECT_EQ(other.ask(kOpen), "0\t1");
  sender.join();
  EXPECT_EQ(other.ask("1\t=\t1\t2\n"), "0\t2");
  EXPECT_LT(server_->statistics().bytes_sent, 50'000u * kRequests);
  for (int i = 0; i < kRequests; ++i) ASSERT_EQ(slow.line(), "0\t2\t1\t" + value);
}

TEST_F(ServerTest, ALineWithoutEndIsAnsweredAndTheConnectionClosed) {
  config_.limits.max_request_size = 100'000;
  start();
  TestClient client = writer();
  EXPECT_TRUE(client.send(std::string(kOpen) + std::string(1'000'000, 'x')));
  EXPECT_EQ(client.line(), "0\t1");
  EXPECT_EQ(client.line(), "2\t1\trequest_too_long");
  EXPECT_EQ(client.line(), "EOF");
}

TEST_F(ServerTest, ConnectionsAreSpreadEvenly) {
  config_.write.threads = 4;
  engine_.close_gate();
  start();
  std::vector<TestClient> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(writer());
    clients.back().send("\n");
  }
  await_accepted(20);
  engine_.open_gate(true);
  for (TestClient& client : clients) EXPECT_EQ(client.line(), "2\t1\tcmd");
  EXPECT_EQ(server_->statistics().batches, 4u);  // one for each worker
}

TEST_F(ServerTest, ConnectionsAboveTheLimitAreToldSo) {
  config_.limits.max_connections = 2;
  start();
  TestClient first = reader();
  TestClient second = reader();
  await_accepted(2);
  TestClient third = reader();
  EXPECT_EQ(third.line(), "1\t1\ttoo_many_connections");
  EXPECT_EQ(third.line(), "EOF");
  EXPECT_EQ(server_->statistics().connections_refused, 1u);
  TestClient on_the_other_port = writer();
  EXPECT_EQ(on_the_other_port.ask("\n"), "2\t1\tcmd");
  first.end_output();
  EXPECT_EQ(first.line(), "EOF");
  await_open(2);
  TestClient again = reader();
  EXPECT_EQ(again.ask("\n"), "2\t1\tcmd");
}

TEST_F(ServerTest, TheSecretOfThePortIsAsked) {
  config_.read.secret = "open sesame";
  start();
  TestClient read = reader();
  EXPECT_EQ(read.ask(kOpen), "3\t1\tunauth");
  EXPECT_EQ(read.ask("A\t1\topen sesame\n"), "0\t1");
  EXPECT_EQ(read.ask(kOpen), "0\t1");
  TestClient write = writer();
  EXPECT_EQ(write.ask(kOpen), "0\t1");
}

TEST_F(ServerTest, StopUnderTrafficEndsEveryClient) {
  start();
  std::atomic<uint64_t> answered{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      TestClient client = i % 2 == 0 ? reader() : writer();
      EXPECT_EQ(client.ask(kOpen), "0\t1");
      for (;;) {
        if (!client.send("1\t=\t1\t1\n1\t=\t1\t2\n")) return;
        const std::string line = client.line();
        if (line != "0\t2") return;
        ++answered;
      }
    });
  }
  while (answered < 1000) std::this_thread::yield();
  server_->stop();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(server_->statistics().connections_open, 0u);
  EXPECT_FALSE(reader().connected());
  server_->stop();
}

TEST_F(ServerTest, ASessionThatIsToldToStopEndsItsClientsByItself) {
  start();
  TestClient idle = writer();
  ASSERT_EQ(idle.ask(kOpen), "0\t1");
  await_accepted(1);
  faulty_.stop();
  EXPECT_EQ(idle.line(), "EOF");
  await_open(0);
  TestClient late = writer();
  EXPECT_NE(late.line(), "0\t1");  // turned away or reset, not left waiting
}

TEST_F(ServerTest, WithoutASessionClientsAreTurnedAwayAndTheLogSaysWhy) {
  faulty_.refuse_sessions();
  start();
  TestClient client = reader();
  const std::string line = client.ask("\n");
  EXPECT_TRUE(line == "EOF" || line == "ERROR") << line;
  server_->stop();
  EXPECT_TRUE(was_logged("hs-rd-0: cannot serve: the database made no session for it"));
}

TEST_F(ServerTest, NobodyIsServedBeforeTheDatabaseIsReady) {
  engine_.close_gate();
  start();
  TestClient client = reader();
  client.send("\n");
  await_accepted(1);
  EXPECT_EQ(server_->statistics().bytes_received, 0u);
  EXPECT_TRUE(engine_.sessions().empty());
  engine_.open_gate(true);
  EXPECT_EQ(client.line(), "2\t1\tcmd");
}

TEST_F(ServerTest, ADatabaseThatWillNeverBeReadyEndsTheServer) {
  engine_.close_gate();
  start();
  TestClient client = reader();
  await_accepted(1);
  engine_.open_gate(false);
  EXPECT_EQ(client.line(), "EOF");
  server_->stop();
  EXPECT_TRUE(engine_.sessions().empty());
}

TEST_F(ServerTest, TablesAreGivenBackOnceWhenTrafficEnds) {
  config_.write.threads = 1;
  start();
  TestClient client = writer();
  for (int quiet = 1; quiet <= 3; ++quiet) {
    EXPECT_EQ(client.ask("\n"), "2\t1\tcmd");
    while (engine_.released < quiet) std::this_thread::yield();
    EXPECT_EQ(engine_.released, quiet);
    EXPECT_GE(engine_.held, quiet);
  }
}

// One worker on each port, with the table open: what waits in it would stop everybody.
class WaitTest : public ServerTest {
 protected:
  using Wait = engine::SessionEvents::Wait;

  WaitTest() {
    config_.read.threads = config_.write.threads = 1;
    for (const char* key : {"1", "2", "3"}) fake_.add_row("d", "t", {key, std::string("v") + key});
  }
  ~WaitTest() override { faulty_.let_go(); }

  TestClient opened(TestClient client) {
    EXPECT_EQ(client.ask("P\t1\td\tt\tPRIMARY\tk,v\n"), "0\t1");
    return client;
  }
  static std::string find(int key) { return "1\t=\t1\t" + std::to_string(key) + "\n"; }
  static std::string found(int key) {
    return "0\t2\t" + std::to_string(key) + "\tv" + std::to_string(key);
  }
};

TEST_F(WaitTest, WhileOneWaitsForAPageTheOthersAreServed) {
  start();
  TestClient waits = opened(reader());
  TestClient other = opened(reader());
  faulty_.hold(testing::Call::kSeek, 1, Wait::kRead);
  waits.send(find(1) + find(2));
  faulty_.wait_for_held(1);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(other.ask(find(2)), found(2));
  EXPECT_EQ(opened(reader()).ask(find(3)), found(3));
  waits.send(find(3));  // comes while its connection belongs to the batch that waits
  EXPECT_EQ(other.ask(find(1)), found(1));
  faulty_.let_go();
  for (int key : {1, 2, 3}) EXPECT_EQ(waits.line(), found(key));
  EXPECT_EQ(waits.ask(find(1)), found(1));
}

TEST_F(WaitTest, WhoeverWaitsLongerForALockIsLeftToIt) {
  start();
  for (Wait what : {Wait::kOther, Wait::kRead}) {
    TestClient waits = opened(writer());
    TestClient other = opened(writer());
    faulty_.hold(testing::Call::kBeginRequest, 1, what);
    waits.send(find(1));
    faulty_.wait_for_held(1);
    EXPECT_EQ(other.ask(find(2)), found(2));
    faulty_.let_go();
    EXPECT_EQ(waits.line(), found(1));
  }
}

TEST_F(WaitTest, ManyMayWaitAtTheSameTime) {
  start();
  std::vector<TestClient> waiting;
  for (uint64_t i = 1; i <= 20; ++i) {
    waiting.push_back(opened(reader()));
    faulty_.hold(testing::Call::kSeek, 1, Wait::kRead);
    waiting.back().send(find(1));
    faulty_.wait_for_held(i);
  }
  EXPECT_EQ(opened(reader()).ask(find(2)), found(2));
  faulty_.let_go();
  for (TestClient& client : waiting) EXPECT_EQ(client.line(), found(1));
  for (TestClient& client : waiting) EXPECT_EQ(client.ask(find(3)), found(3));
}

TEST_F(WaitTest, WithTheMostThreadsTheOthersWaitTooAndThenGoOn) {
  config_.max_threads = 2;
  start();
  std::vector<TestClient> waiting;
  for (uint64_t i = 1; i <= 2; ++i) {
    waiting.push_back(opened(reader()));
    faulty_.hold(testing::Call::kSeek, 1, Wait::kRead);
    waiting.back().send(find(1));
    faulty_.wait_for_held(i);
  }
  TestClient other = reader();
  other.send("P\t1\td\tt\tPRIMARY\tk,v\n" + find(2));
  faulty_.let_go();
  EXPECT_EQ(other.line(), "0\t1");
  EXPECT_EQ(other.line(), found(2));
  for (TestClient& client : waiting) EXPECT_EQ(client.line(), found(1));
}

TEST_F(WaitTest, WhileOneCommitsTheOthersAreServedAndRepliesWaitForTheCommit) {
  start();
  TestClient waits = opened(writer());
  TestClient other = opened(writer());
  faulty_.hold(testing::Call::kCommit, 1, Wait::kOther);
  waits.send("1\t+\t2\t7\tv7\n");
  faulty_.wait_for_held(1);
  EXPECT_EQ(other.ask(find(1)), found(1));
  faulty_.let_go();
  EXPECT_EQ(waits.line(), "0\t1");
  EXPECT_EQ(other.ask(find(7)), found(7));
}

TEST_F(WaitTest, ClientsMayVanishWhileTheirRequestWaits) {
  start();
  TestClient other = opened(reader());
  for (bool resets : {false, true}) {
    TestClient waits = opened(reader());
    faulty_.hold(testing::Call::kSeek, 1, Wait::kRead);
    waits.send(find(1));
    faulty_.wait_for_held(1);
    EXPECT_EQ(other.ask(find(2)), found(2));
    if (resets) {
      const linger now{1, 0};
      ::setsockopt(waits.fd(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    }
    waits = reader();
    EXPECT_EQ(other.ask(find(2)), found(2));
    faulty_.let_go();
    EXPECT_EQ(other.ask(find(2)), found(2));
  }
  while (server_->statistics().connections_open > 2) std::this_thread::yield();
}

TEST_F(WaitTest, TheServerStopsAfterTheRequestsThatWait) {
  start();
  TestClient waits = opened(reader());
  faulty_.hold(testing::Call::kSeek, 1, Wait::kRead);
  waits.send(find(1));
  faulty_.wait_for_held(1);
  EXPECT_EQ(opened(reader()).ask(find(2)), found(2));
  std::thread stops([this] { server_->stop(); });
  faulty_.let_go();
  stops.join();
  const std::string line = waits.line();
  EXPECT_TRUE(line == found(1) || line == "EOF") << line;
  while (waits.line() == found(1)) {
  }
}

TEST_F(WaitTest, ManyClientsAndWaitsAtOnce) {
  config_.read.threads = 2;
  config_.max_threads = 6;
  start();
  std::atomic<bool> ends{false};
  std::thread waits([&] {
    while (!ends) {
      const uint64_t before = faulty_.calls(testing::Call::kSeek);
      faulty_.hold(testing::Call::kSeek, 5, Wait::kRead);
      faulty_.hold(testing::Call::kSeek, 11, Wait::kOther);
      while (!ends && faulty_.calls(testing::Call::kSeek) < before + 11) {
        faulty_.let_go();
        std::this_thread::yield();
      }
    }
  });
  std::vector<std::thread> clients;
  for (int number = 0; number < 6; ++number) {
    clients.emplace_back([this] {
      TestClient client = opened(reader());
      for (int i = 0; i < 200; ++i) {
        ASSERT_TRUE(client.send(find(1) + find(2)));
        ASSERT_EQ(client.line(), found(1));
        ASSERT_EQ(client.line(), found(2));
      }
    });
  }
  for (std::thread& client : clients) client.join();
  ends = true;
  waits.join();
}

// Replies too long to be kept, over one worker.
class StreamTest : public ServerTest {
 protected:
  static constexpr int kRows = 6000;
  static constexpr size_t kRowBytes = 1000;

  StreamTest() {
    config_.read.threads = config_.write.threads = 1;
    fake_.create_table("d.big(k int, v text; PRIMARY(k))");
    for (int k = 1; k <= kRows; ++k) {
      fake_.add_row("d", "big", {std::to_string(k), std::string(kRowBytes, 'a' + k % 26)});
    }
  }

  TestClient opened(TestClient client) {
    EXPECT_EQ(client.ask("P\t1\td\tbig\tPRIMARY\tk,v\n"), "0\t1");
    return client;
  }
  static std::string find(int first, int rows) {
    return "1\t>=\t1\t" + std::to_string(first) + "\t" + std::to_string(rows) + "\t0\n";
  }
  static std::string found(int first, int rows) {
    std::string reply = "0\t2";
    for (int k = first; k < first + rows; ++k) {
      reply += "\t" + std::to_string(k) + "\t" + std::string(kRowBytes, 'a' + k % 26);
    }
    return reply;
  }
};

TEST_F(StreamTest, AHugeReplyArrivesWholeAndInOrderWithOthers) {
  start();
  TestClient client = opened(reader());
  client.send(find(1, 1) + find(1, kRows) + find(2, 1) + find(3, kRows - 2) + find(4, 1));
  EXPECT_EQ(client.line(), found(1, 1));
  EXPECT_EQ(client.line(), found(1, kRows));
  EXPECT_EQ(client.line(), found(2, 1));
  EXPECT_EQ(client.line(), found(3, kRows - 2));
  EXPECT_EQ(client.line(), found(4, 1));
  EXPECT_EQ(client.ask(find(5, 2)), found(5, 2));
  EXPECT_EQ(server_->statistics().requests, 1u + 6u);
  EXPECT_EQ(server_->statistics().errors, 0u);
}

TEST_F(StreamTest, AClientThatDoesNotReadHoldsUpNobody) {
  start();
  TestClient slow = opened(reader());
  TestClient other = opened(reader());
  slow.send(find(1, kRows));
  for (int i = 0; i < 10; ++i) ASSERT_EQ(other.ask(find(2, 1)), found(2, 1));
  EXPECT_EQ(slow.line(), found(1, kRows));
}

TEST_F(StreamTest, AReplyOverTheLimitIsAnErrorAlthoughItWouldBeStreamed) {
  config_.limits.max_reply_size = 3u << 20;
  start();
  TestClient client = opened(reader());
  EXPECT_EQ(client.ask(find(1, kRows)), "2\t1\treply_too_long");
  EXPECT_EQ(client.ask(find(1, 2500)), found(1, 2500));
  EXPECT_EQ(client.ask(find(1, kRows)), "2\t1\treply_too_long");
}

TEST_F(StreamTest, AReplyThatFailsHalfwayEndsTheConnection) {
  start();
  TestClient client = opened(reader());
  faulty_.fail(testing::Call::kNext, 2 * kRows - 1000, Error::engine(127));
  client.send(find(1, kRows) + find(1, 1));
  EXPECT_EQ(client.line(), "EOF");
  EXPECT_EQ(opened(reader()).ask(find(1, 1)), found(1, 1));
}

TEST_F(StreamTest, AnErrorBeforeItsFirstByteWasSentIsAnswered) {
  start();
  TestClient client = opened(reader());
  faulty_.fail(testing::Call::kNext, 5000, Error::engine(127));
  EXPECT_EQ(client.ask(find(1, kRows)), "1\t1\t127");
  EXPECT_EQ(client.ask(find(1, 1)), found(1, 1));
}

TEST_F(StreamTest, ClientsThatGoMeanwhileHarmNobody) {
  start();
  TestClient other = opened(reader());
  for (int i = 0; i < 3; ++i) {
    TestClient gone = opened(reader());
    gone.send(find(1, kRows));
    gone = reader();
    EXPECT_EQ(other.ask(find(2, 1)), found(2, 1));
  }
  while (server_->statistics().connections_open > 1) std::this_thread::yield();
}

TEST_F(StreamTest, TheWritePortKeepsItsReplies) {
  start();
  EXPECT_EQ(opened(writer()).ask(find(1, kRows)), found(1, kRows));
}

TEST_F(ServerTest, ThreadsAreNamedAndTakeNoSignals) {
  config_.read.threads = 1;
  config_.write.threads = 1;
  start();
  EXPECT_EQ(reader().ask("\n"), "2\t1\tcmd");
  EXPECT_EQ(writer().ask("\n"), "2\t1\tcmd");
  std::vector<std::string> names;
  do {
    names = engine_.sessions();
  } while (names.size() < 4);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"hs-rd-0", "hs-rd-1", "hs-wr-0", "hs-wr-1"}));
  EXPECT_TRUE(engine_.signals_were_blocked());
  sigset_t mask;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  EXPECT_FALSE(::sigismember(&mask, SIGTERM));  // our own are as before
}

TEST_F(ServerTest, APortInUseIsSaidAndNothingIsStarted) {
  start();
  Config first = config_;
  first.write.port = std::to_string(server_->read_port());
  std::swap(config_, first);
  EXPECT_EQ(start_error(),
            "port " + config_.write.port + " on 127.0.0.1 is in use (handlersocket_port_wr)");
  config_.read.port = config_.write.port;
  config_.write.port = "";
  EXPECT_EQ(start_error(),
            "port " + config_.read.port + " on 127.0.0.1 is in use (handlersocket_port)");
}

TEST_F(ServerTest, WrongSettingsAreSaid) {
  config_.read.port = config_.write.port = "9998";
  EXPECT_EQ(start_error(), "handlersocket_port and handlersocket_port_wr are the same: 9998");
  config_.read.port = "70000";
  EXPECT_EQ(start_error(), "the port 70000 is not in the range 0 to 65535 (handlersocket_port)");
  config_.read.port = "0";
  config_.write.port = "no-such-service";
  EXPECT_EQ(start_error(),
            "'no-such-service' is neither a port number nor the name of a service "
            "(handlersocket_port_wr)");
  config_.write.port = "0";
  config_.write.threads = 3001;
  EXPECT_EQ(start_error(), "handlersocket_threads_wr is 3001, not in the range 1 to 3000");
  config_.write.threads = 0;
  EXPECT_EQ(start_error(), "handlersocket_threads_wr is 0, not in the range 1 to 3000");
  config_.write.threads = 1;
  config_.address = "256.256.256.256";
  const std::string error = start_error();
  EXPECT_EQ(error.find("cannot resolve the address '256.256.256.256': "), 0u) << error;
  EXPECT_NE(error.find("(handlersocket_address)"), std::string::npos) << error;
}

TEST_F(ServerTest, AnEmptyPortIsOff) {
  config_.write.port = "";
  start();
  EXPECT_EQ(server_->write_port(), 0);
  EXPECT_EQ(reader().ask("\n"), "2\t1\tcmd");
  EXPECT_TRUE(was_logged("not listening for reads and writes: handlersocket_port_wr is empty"));
}

TEST_F(ServerTest, ServesUnixSockets) {
  const std::string directory = make_directory();
  config_.address = "/";
  config_.read.port = directory + "/read";
  config_.write.port = directory + "/write";
  start();
  TestClient client = TestClient::unix_socket(config_.write.port);
  EXPECT_EQ(client.ask(kOpen), "0\t1");
  EXPECT_EQ(server_->read_port(), 0);
  server_->stop();
  EXPECT_EQ(client.line(), "EOF");
  EXPECT_TRUE(std::filesystem::is_empty(directory));
  std::filesystem::remove_all(directory);
}

TEST_F(ServerTest, AClientThatVanishesLosesNothingOfABatch) {
  const std::string directory = make_directory();
  config_.address = "/";
  config_.read.port = "";
  config_.write.port = directory + "/write";
  engine_.close_gate();
  start();
  {
    TestClient client = TestClient::unix_socket(config_.write.port);
    std::string requests(kOpen);
    for (int i = 0; i < 1500; ++i) requests += "1\t+\t2\t" + std::to_string(i) + "\tv\n";
    ASSERT_TRUE(client.send(requests));
    await_accepted(1);
  }
  engine_.open_gate(true);
  await_open(0);
  server_->stop();
  // All of the first batch. Its replies cannot be delivered, so there is no second one.
  EXPECT_EQ(fake_.rows("d", "t").size(), 1023u);
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace hs::server
