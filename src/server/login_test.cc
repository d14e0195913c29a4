// Logins over real sockets: which thread does what, and what is bounded.
#include "testing/fixtures/server_fixture.h"

namespace hs::server {
namespace {

class LoginPoolTest : public ServerTest {
 protected:
  LoginPoolTest() : directory_(make_directory()) {
    fake_.create_account("ada", "secret");
    fake_.grant("ada", "d.t", engine::kAllRights);
    read_.address = kUnixSocket;
    read_.port = directory_ + "/read";
    read_.authentication.account = true;
    write_.port.clear();
    config_.read_threads = 1;
    config_.logins.failure_delay = std::chrono::milliseconds(1);
  }
  ~LoginPoolTest() override {
    fake_.let_logins_go();
    server_.reset();
    ::unlink(read_.port.c_str());
    ::rmdir(directory_.c_str());
  }

  TestClient client() { return TestClient::unix_socket(read_.port); }
  void await_logins(uint64_t number) {
    for (;;) {
      const Statistics now = server_->statistics();
      if (now.logins + now.logins_failed + now.logins_refused >= number) return;
      std::this_thread::yield();
    }
  }

  const std::string directory_;
};

TEST_F(LoginPoolTest, APipelineGoesOnBehindTheLogin) {
  start();
  TestClient ada = client();
  ada.send("P\t1\td\tt\tPRIMARY\tk,v\nA\t4\tada\tsecret\n" + std::string(kOpen) + "1\t=\t1\t1\n");
  EXPECT_EQ(ada.line(), "3\t1\tunauth");
  EXPECT_EQ(ada.line(), "0\t1");
  EXPECT_EQ(ada.line(), "0\t1");
  EXPECT_EQ(ada.line(), "0\t2");
  EXPECT_EQ(server_->statistics().logins, 1U);
}

TEST_F(LoginPoolTest, AWrongPasswordIsRefusedAndCounted) {
  start();
  TestClient ada = client();
  EXPECT_EQ(ada.ask("A\t4\tada\tguess\n"), "3\t1\tunauth");
  EXPECT_EQ(ada.ask("A\t4\tbob\tsecret\n"), "3\t1\tunauth");
  EXPECT_EQ(ada.ask(kOpen), "3\t1\tunauth");
  EXPECT_EQ(ada.ask("A\t4\tada\tsecret\n"), "0\t1");
  EXPECT_EQ(server_->statistics().logins_failed, 2U);
}

TEST_F(LoginPoolTest, LoginsThatTakeLongHoldUpNoOther) {
  start();
  TestClient early = client();
  ASSERT_EQ(early.ask("A\t4\tada\tsecret\n"), "0\t1");
  ASSERT_EQ(early.ask(kOpen), "0\t1");
  fake_.hold_logins();
  std::vector<TestClient> late;
  for (int i = 0; i < 10; ++i) {
    late.push_back(client());
    late.back().send("A\t4\tada\tsecret\n");
  }
  for (int i = 0; i < 100; ++i) ASSERT_EQ(early.ask("1\t=\t1\t1\n"), "0\t2");
  fake_.let_logins_go();
  for (TestClient& one : late) EXPECT_EQ(one.line(), "0\t1");
}

TEST_F(LoginPoolTest, AsManyLoginsWaitAsMayAndFurtherOnesAreRefusedAtOnce) {
  config_.logins.threads = 1;
  config_.logins.most_waiting = 2;
  start();
  fake_.hold_logins();
  std::vector<TestClient> clients;
  for (int i = 0; i < 8; ++i) {
    clients.push_back(client());
    clients.back().send("A\t4\tada\tsecret\n");
  }
  await_logins(5);  // one is carried out, and two wait
  fake_.let_logins_go();
  int in = 0;
  int refused = 0;
  for (TestClient& one : clients) {
    const std::string reply = one.line();
    if (reply == "0\t1") ++in;
    if (reply == "1\t1\ttoo_many_logins") ++refused;
  }
  EXPECT_EQ(in + refused, 8);
  EXPECT_LE(in, 3);
  EXPECT_GE(in, 2);
}

TEST_F(LoginPoolTest, AClientThatLeavesDuringItsLoginIsForgotten) {
  start();
  fake_.hold_logins();
  {
    TestClient ada = client();
    ada.send("A\t4\tada\tsecret\n");
    await_open(1);
  }
  fake_.let_logins_go();
  await_open(0);
}

TEST_F(LoginPoolTest, TheServerStopsWithLoginsThatWaitAndAnswersThatAreKeptBack) {
  config_.logins.threads = 1;
  config_.logins.failure_delay = std::chrono::hours(1);
  start();
  TestClient guesses = client();
  guesses.send("A\t4\tada\tguess\n");
  await_logins(1);
  fake_.hold_logins();
  std::vector<TestClient> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(client());
    clients.back().send("A\t4\tada\tsecret\n");
  }
  await_open(4);
  std::thread stops([this] { server_->stop(); });
  fake_.let_logins_go();
  stops.join();
  EXPECT_EQ(server_->statistics().connections_open, 0U);
}

}  // namespace
}  // namespace hs::server
