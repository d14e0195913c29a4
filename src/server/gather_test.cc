#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "testing/fixtures/server_fixture.h"

namespace hs::server {
namespace {

// The write port with one thread, over a Unix socket: what a client has sent is there at the next
// look.
class GatherTest : public ServerTest {
 protected:
  GatherTest() {
    directory_ = make_directory();
    read_.address = write_.address = "/";
    read_.port = "";
    write_.port = directory_ + "/write";
    config_.write_threads = 1;
    start();
  }
  ~GatherTest() override {
    faulty_.let_go();
    server_->stop();
    std::filesystem::remove_all(directory_);
  }
  TestClient opened() {
    TestClient client = TestClient::unix_socket(write_.port);
    EXPECT_EQ(client.ask(kOpen), "0\t1");
    return client;
  }
  void await_calls(testing::Call call, uint64_t calls) {
    while (faulty_.calls(call) < calls) std::this_thread::yield();
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

TEST_F(GatherTest, WhatComesDuringACommitSharesTheNextOne) {
  TestClient first = opened(), second = opened(), third = opened();
  const uint64_t commits = server_->statistics().commits;
  // The lead is offered at once.
  faulty_.hold(testing::Call::kCommitted, 1, engine::SessionEvents::Wait::kRead);
  first.send(insert(1));
  faulty_.wait_for_held(1);
  const uint64_t inserts = faulty_.calls(testing::Call::kInsert);
  second.send(insert(2));
  await_calls(testing::Call::kInsert, inserts + 1);  // executed meanwhile
  third.send(insert(3));
  await_calls(testing::Call::kInsert, inserts + 2);
  EXPECT_EQ(server_->statistics().commits - commits, 0u);
  faulty_.let_go();
  for (TestClient* client : {&first, &second, &third}) EXPECT_EQ(client->line(), "0\t1");
  EXPECT_EQ(server_->statistics().commits - commits, 2u);
}

TEST_F(GatherTest, ReadsAreAnsweredDuringACommit) {
  TestClient first = opened(), second = opened();
  faulty_.hold(testing::Call::kCommitted, 1, engine::SessionEvents::Wait::kRead);
  first.send(insert(1));
  faulty_.wait_for_held(1);
  EXPECT_EQ(second.ask("1\t=\t1\t5\n"), "0\t2");
  faulty_.let_go();
  EXPECT_EQ(first.line(), "0\t1");
}

TEST_F(GatherTest, ACommitThatTakesFarTooLongHoldsUpNoOther) {
  TestClient first = opened(), second = opened();
  faulty_.hold(testing::Call::kCommitted, 1, engine::SessionEvents::Wait::kRead);
  first.send(insert(1));
  faulty_.wait_for_held(1);
  step_ns_ = 10'000'000;
  EXPECT_EQ(second.ask(insert(2)), "0\t1");
  faulty_.let_go();
  EXPECT_EQ(first.line(), "0\t1");
}

TEST_F(GatherTest, ABatchWaitsForClientsThatWereAnsweredJustNow) {
  TestClient first = opened(), second = opened();
  // Commits take a minute by the server's clock: the batch waits as long as it needs to.
  step_ns_ = 60'000'000'000;
  EXPECT_EQ(first.ask(insert(1)), "0\t1");
  step_ns_ = 0;
  faulty_.hold(testing::Call::kInsert, 1, {});
  first.send(insert(2));
  faulty_.wait_for_held(1);
  second.send(insert(3));
  faulty_.let_go();
  EXPECT_EQ(first.line(), "0\t1");
  EXPECT_EQ(second.line(), "0\t1");
  const uint64_t commits = server_->statistics().commits;
  const uint64_t inserts = faulty_.calls(testing::Call::kInsert);
  first.send(insert(4));
  await_calls(testing::Call::kInsert, inserts + 1);
  EXPECT_EQ(server_->statistics().commits, commits);
  second.send(insert(5));
  EXPECT_EQ(first.line(), "0\t1");
  EXPECT_EQ(second.line(), "0\t1");
  EXPECT_EQ(server_->statistics().commits, commits + 1);
}

TEST_F(GatherTest, ClientsThatComeOrGoWhileABatchRunsHarmNoOthers) {
  TestClient first = opened(), second = opened();
  for (int round = 0; round < 10; ++round) {
    TestClient goes = opened();
    const uint64_t open = server_->statistics().connections_open;
    faulty_.hold(testing::Call::kInsert, 1, {});
    goes.send(insert(100 * round + 1));
    faulty_.wait_for_held(1);
    second.send(insert(100 * round + 2).substr(0, 5));
    { const TestClient gone = std::move(goes); }
    TestClient comes = TestClient::unix_socket(write_.port);
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

TEST_F(GatherTest, EachClientGetsItsOwnRepliesInOrderWhileCommitsChangeHands) {
  constexpr int kClients = 8;
  constexpr int kRounds = 60;
  std::vector<TestClient> clients;
  for (int i = 0; i < kClients; ++i) clients.push_back(opened());
  for (uint64_t number = 1; number < 200; ++number) {
    using Wait = engine::SessionEvents::Wait;
    if (number % 2 == 0) {
      faulty_.hold(testing::Call::kCommitted, number, number % 4 == 0 ? Wait::kRead : Wait::kOther);
    }
    if (number % 7 == 0) faulty_.lock_row(testing::Call::kInsert, number);
    if (number % 11 == 0) faulty_.lose_transaction(testing::Call::kInsert, number);
  }
  std::atomic<int> wrong{0}, done{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kClients; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 1; round <= kRounds; ++round) {
        const std::string key = std::to_string(1000 * (i + 1) + round);
        clients[i].send(insert(1000 * (i + 1) + round) + "1\t=\t1\t" + key + "\n");
        if (clients[i].line() != "0\t1") ++wrong;
        if (clients[i].line() != "0\t2\t" + key + "\tv") ++wrong;
      }
      ++done;
    });
  }
  while (done < kClients) {
    faulty_.let_go();
    std::this_thread::yield();
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace hs::server
