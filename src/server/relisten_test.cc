// Listening elsewhere while the server runs.
#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "net/file_descriptor.h"
#include "net/listener.h"
#include "testing/fixtures/server_fixture.h"

namespace hs::server {
namespace {

class RelistenTest : public ServerTest {
 protected:
  RelistenTest() : directory_(make_directory()) {}
  ~RelistenTest() override {
    server_.reset();
    std::filesystem::remove_all(directory_);
  }

  // Listens at the endpoints of config() as they are now. "" or the error.
  std::string relisten() {
    std::string error;
    const Config now = config();
    const bool done = server_->relisten(now.endpoints, now.backlog, &error);
    EXPECT_EQ(done, error.empty());
    return error;
  }
  void start_on_fixed_ports() {
    start();
    read_.port = std::to_string(read_port());
    write_.port = std::to_string(write_port());
    server_.reset();
    start();
  }

  const std::string directory_;
};

TEST_F(RelistenTest, AnotherPortIsServedTheOldOneNoLongerAndItsConnectionsStay) {
  start_on_fixed_ports();
  TestClient old = reader();
  ASSERT_EQ(old.ask(kOpen), "0\t1");
  const uint16_t before = read_port();
  read_.port = "0";
  ASSERT_EQ(relisten(), "");
  EXPECT_NE(read_port(), before);
  TestClient young = reader();
  EXPECT_EQ(young.ask(kOpen), "0\t1");
  EXPECT_EQ(old.ask("1\t=\t1\t1\n"), "0\t2");
  net::ListenOptions options;
  options.address = "127.0.0.1";
  options.port = before;
  net::ListenError error;
  EXPECT_NE(net::Listener::open(options, &error), nullptr) << error.text;
  await_accepted(2);
  EXPECT_TRUE(was_logged("no longer listening for reads on port " + std::to_string(before)));
}

TEST_F(RelistenTest, APlaceThatStaysGoesOnListening) {
  start_on_fixed_ports();
  const uint16_t port = read_port();
  write_.port = "";
  ASSERT_EQ(relisten(), "");
  EXPECT_EQ(read_port(), port);
  EXPECT_EQ(write_port(), 0);
  TestClient client = reader();
  EXPECT_EQ(client.ask(kOpen), "0\t1");
  EXPECT_EQ(times_logged("listening for reads on"), 2u);  // of the two starts
}

TEST_F(RelistenTest, EveryAddressCanTakeTheSamePortOverFromOneAndGiveItBack) {
  read_.allow_unauthenticated = true;
  start_on_fixed_ports();
  TestClient old = reader();
  ASSERT_EQ(old.ask(kOpen), "0\t1");
  for (const char* address : {"", "127.0.0.1", "0.0.0.0", "127.0.0.1"}) {
    read_.address = address;
    ASSERT_EQ(relisten(), "") << address;
    TestClient young = reader();
    EXPECT_EQ(young.ask(kOpen), "0\t1");
    EXPECT_EQ(old.ask("1\t=\t1\t1\n"), "0\t2");
  }
}

TEST_F(RelistenTest, WhatCannotBeServedIsRefusedAndNothingChanges) {
  start_on_fixed_ports();
  const uint16_t port = read_port();
  const EndpointConfig good = read_;
  net::ListenOptions options;
  options.address = "127.0.0.1";
  net::ListenError error;
  const auto taken = net::Listener::open(options, &error);
  const auto refused = [&](const std::string& why) {
    const std::string said = relisten();
    EXPECT_NE(said.find(why), std::string::npos) << said;
    read_ = good;
    TestClient client = reader();
    EXPECT_EQ(client.ask(kOpen), "0\t1");
    EXPECT_EQ(read_port(), port);
  };
  read_.port = std::to_string(taken->port());
  refused("is in use (handlersocket_port)");
  read_.address = "0.0.0.0";
  refused("can be reached from other machines and asks its clients for no secret");
  read_.port = "no-such-service";
  refused("neither a port number nor the name of a service");
  read_.port = write_.port;
  refused("handlersocket_port and handlersocket_port_wr are the same");
  read_.port = "70000";
  refused("not in the range 0 to 65535");
  // The port is not to be had by others after a failure, either.
  options.port = port;
  options.takes_over = true;
  EXPECT_EQ(net::Listener::open(options, &error), nullptr);
}

TEST_F(RelistenTest, APortThatAnotherServerSharesIsNotTaken) {
  start_on_fixed_ports();
  net::ListenOptions options;
  options.address = "127.0.0.1";
  net::ListenError error;
  const auto other = net::Listener::open(options, &error);
  other->share_port(true);
  read_.port = std::to_string(other->port());
  EXPECT_NE(relisten().find("is in use (handlersocket_port)"), std::string::npos);
}

TEST_F(RelistenTest, APortThatWasFreeIsNotSharedAfterwards) {
  start_on_fixed_ports();
  read_.port = "0";
  ASSERT_EQ(relisten(), "");
  net::ListenOptions options;
  options.address = "127.0.0.1";
  options.port = read_port();
  options.takes_over = true;
  net::ListenError error;
  EXPECT_EQ(net::Listener::open(options, &error), nullptr);
}

TEST_F(RelistenTest, APortThatIsServedToAllMustNotLoseItsSecret) {
  read_.address = "0.0.0.0";
  read_.authentication.secret = "sesame";
  start_on_fixed_ports();
  read_.authentication.secret = "";
  EXPECT_NE(relisten().find("can be reached from other machines"), std::string::npos);
  TestClient client = reader();
  EXPECT_EQ(client.ask(kOpen), "3\t1\tunauth");
  read_.allow_unauthenticated = true;
  EXPECT_EQ(relisten(), "");
  TestClient other = reader();
  EXPECT_EQ(other.ask(kOpen), "0\t1");
}

TEST_F(RelistenTest, AnotherSecretIsForNewConnectionsAndThoseThatKnewTheOldOneStay) {
  read_.authentication.secret = "old";
  start_on_fixed_ports();
  TestClient early = reader();
  ASSERT_EQ(early.ask("A\t1\told\n"), "0\t1");
  ASSERT_EQ(early.ask(kOpen), "0\t1");
  read_.authentication.secret = "new";
  ASSERT_EQ(relisten(), "");
  EXPECT_EQ(early.ask("1\t=\t1\t1\n"), "0\t2");
  TestClient late = reader();
  EXPECT_EQ(late.ask("A\t1\told\n"), "3\t1\tunauth");
  EXPECT_EQ(late.ask("A\t1\tnew\n"), "0\t1");
}

TEST_F(RelistenTest, AModeThatWasNotServedCanBeServed) {
  write_.port = "";
  start();
  write_.port = "0";
  read_.port = "";
  ASSERT_EQ(relisten(), "");
  TestClient write = writer();
  EXPECT_EQ(write.ask(kOpen), "0\t1");
  EXPECT_EQ(write.ask("1\t+\t2\t1\tone\n"), "0\t1");
  EXPECT_EQ(read_port(), 0);
}

TEST_F(RelistenTest, AUnixSocketComesWithItsRightsKeepsOthersAndGoes) {
  start_on_fixed_ports();
  EndpointConfig socket = read_;
  socket.address = kUnixSocket;
  socket.port = directory_ + "/r";
  config_.endpoints = {socket};
  ASSERT_EQ(relisten(), "");
  struct stat about {};
  ASSERT_EQ(::stat(socket.port.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0660u);
  TestClient client = TestClient::unix_socket(socket.port);
  EXPECT_EQ(client.ask(kOpen), "0\t1");
  config_.endpoints[0].socket_rights.mode = 0600;
  ASSERT_EQ(relisten(), "");
  ASSERT_EQ(::stat(socket.port.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
  // With another change that fails, the rights stay as they are.
  config_.endpoints[0].socket_rights.mode = 0666;
  write_.port = "70000";
  EXPECT_NE(relisten(), "");
  ASSERT_EQ(::stat(socket.port.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
  write_.port = "0";
  config_.endpoints.clear();
  ASSERT_EQ(relisten(), "");
  EXPECT_FALSE(std::filesystem::exists(socket.port));
  EXPECT_EQ(client.ask("1\t=\t1\t1\n"), "0\t2");
  EXPECT_EQ(server_->connections().at(0).endpoint, socket.port);
}

TEST_F(RelistenTest, ClientsThatComeAndGoMeanwhileAreServed) {
  start_on_fixed_ports();
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!stop) {
        TestClient client = writer();
        EXPECT_EQ(client.ask(kOpen), "0\t1");
      }
    });
  }
  threads.emplace_back([&] {
    while (!stop) {
      (void)server_->statistics();
      (void)server_->connections();
      (void)server_->indexes();
      (void)server_->latencies();
    }
  });
  write_.allow_unauthenticated = true;
  for (int i = 0; i < 30; ++i) {
    read_.port = i % 2 == 0 ? "0" : "";
    write_.authentication = {};
    ASSERT_EQ(relisten(), "");
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

TEST_F(RelistenTest, TwoAtOnceAndAStopMeanwhileAreInOrder) {
  start();
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      Config mine = config();
      for (std::string error; error.empty();) {
        server_->relisten(mine.endpoints, mine.backlog, &error);
        EXPECT_TRUE(error.empty() || error == "the server is stopping") << error;
      }
    });
  }
  for (int i = 0; i < 20; ++i) {
    Config mine = config();
    std::string error;
    EXPECT_TRUE(server_->relisten(mine.endpoints, mine.backlog, &error)) << error;
  }
  server_->stop();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace hs::server
