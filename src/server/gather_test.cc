#include <filesystem>
#include <string>

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

}  // namespace
}  // namespace hs::server
