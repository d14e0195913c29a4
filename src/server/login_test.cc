// Logins over real sockets: which thread does what, and what is bounded.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

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

  static long login_threads() {
    long number = 0;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
      std::string name;
      std::ifstream(thread.path() / "comm") >> name;
      number += name.starts_with("hs-login-") ? 1 : 0;
    }
    return number;
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
  config_.logins.most_at_once = 1;
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

TEST_F(LoginPoolTest, ALoginThatWaitsForTooLongIsRefusedWhileTheOthersHang) {
  config_.logins.threads = 1;
  config_.logins.most_at_once = 1;
  config_.logins.longest_wait = std::chrono::milliseconds(300);
  start();
  fake_.hold_logins();
  TestClient hangs = client();
  hangs.send("A\t4\tada\tsecret\n");
  fake_.await_held_logins(1);
  for (int i = 0; i < 3; ++i) {
    TestClient waits = client();
    EXPECT_EQ(waits.ask("A\t4\tada\tsecret\n"), "1\t1\ttoo_many_logins");
  }
  EXPECT_EQ(server_->statistics().logins_refused, 3U);
  fake_.let_logins_go();
  EXPECT_EQ(hangs.line(), "0\t1");
}

TEST_F(LoginPoolTest, AClientWhoseLoginIsUnderWayWhenItsTimeIsOverHasItsAnswer) {
  config_.login_timeout_s = 1;
  start();
  fake_.hold_logins();
  TestClient right = client();
  TestClient wrong = client();
  right.send("A\t4\tada\tsecret\n");
  wrong.send("A\t4\tada\tguess\n");
  while (server_->statistics().logins_timed_out < 2) std::this_thread::yield();
  for (const ConnectionStatus& one : server_->connections()) EXPECT_EQ(one.state, "logging in");
  fake_.let_logins_go();
  EXPECT_EQ(right.line(), "0\t1");
  EXPECT_EQ(right.ask(kOpen), "0\t1");
  EXPECT_EQ(wrong.line(), "3\t1\tunauth");
  EXPECT_EQ(wrong.line(), "EOF");
}

TEST_F(LoginPoolTest, AClientWhoseTimeIsOverBeginsNoOtherLogin) {
  config_.login_timeout_s = 1;
  start();
  fake_.hold_logins();
  TestClient client = this->client();
  client.send("A\t4\tada\tguess\nA\t4\tada\tsecret\n");
  while (server_->statistics().logins_timed_out < 1) std::this_thread::yield();
  fake_.let_logins_go();
  EXPECT_EQ(client.line(), "3\t1\tunauth");
  EXPECT_EQ(client.line(), "EOF");
  EXPECT_EQ(server_->statistics().logins, 0u);
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
  config_.logins.most_at_once = 1;
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

TEST_F(LoginPoolTest, ThreadsThatAreNotNeededEndWhileLoginsGoOn) {
  config_.logins.threads = 1;
  config_.logins.longest_idle = std::chrono::milliseconds(200);
  start();
  fake_.hold_logins();
  std::vector<TestClient> slow;
  for (int i = 0; i < 8; ++i) {
    slow.push_back(client());
    slow.back().send("A\t4\tada\tsecret\n");
  }
  fake_.await_held_logins(8);
  EXPECT_GE(login_threads(), 8);
  fake_.let_logins_go();
  for (TestClient& one : slow) ASSERT_EQ(one.line(), "0\t1");
  while (login_threads() > 3) ASSERT_EQ(slow.front().ask("A\t4\tada\tsecret\n"), "0\t1");
}

TEST_F(LoginPoolTest, SlowLoginsLeaveAThreadForAFastOne) {
  config_.logins.threads = 1;
  config_.logins.most_at_once = 16;
  start();
  fake_.hold_logins();
  std::vector<TestClient> slow;
  for (int i = 0; i < 7; ++i) {
    slow.push_back(client());
    slow.back().send("A\t4\tada\tsecret\n");
  }
  fake_.await_held_logins(7);
  TestClient fast = client();
  fake_.create_account("fast", "secret");
  fake_.never_hold("fast");
  EXPECT_EQ(fast.ask("A\t4\tfast\tsecret\n"), "0\t1");
  fake_.let_logins_go();
  for (TestClient& one : slow) EXPECT_EQ(one.line(), "0\t1");
}

// Clients of the Unix socket are of one host, and those of a TCP port of another.
class LoginsOfTwoHostsTest : public LoginPoolTest {
 protected:
  LoginsOfTwoHostsTest() {
    write_.port = "0";
    write_.authentication.account = true;
    fake_.create_account("eve", "secret");
  }

  // Begins so many logins over the Unix socket.
  void flood(int number) {
    for (int i = 0; i < number; ++i) {
      flood_.push_back(client());
      flood_.back().send("A\t4\teve\tsecret\n");
    }
  }
  // How many clients of the Unix socket have an answer.
  long answered() const {
    return std::count_if(flood_.begin(), flood_.end(),
                         [](const TestClient& one) { return one.has_reply(); });
  }
  // What logs the client of the TCP port in.
  static std::string response_to(const std::string& challenge) {
    return "A\t3\t" + challenge.substr(challenge.rfind('\t') + 1) + "736563726574\n";
  }

  std::vector<TestClient> flood_;
};

TEST_F(LoginsOfTwoHostsTest, AHostWithManySlowLoginsLeavesAThreadForAnother) {
  config_.logins.most_at_once = 6;
  start();
  fake_.hold_logins();
  fake_.never_hold("ada");
  flood(20);
  fake_.await_held_logins(3);
  for (int i = 0; i < 20; ++i) {
    TestClient ada = writer();
    ASSERT_EQ(ada.ask(response_to(ada.ask("A\t2\tada\n"))), "0\t1");
  }
  EXPECT_EQ(answered(), 0);
  fake_.let_logins_go();
  for (TestClient& one : flood_) EXPECT_EQ(one.line(), "0\t1");
}

TEST_F(LoginsOfTwoHostsTest, AHostWithManyThatWaitGivesWayToAnother) {
  config_.logins.threads = 1;
  config_.logins.most_at_once = 1;
  config_.logins.most_waiting = 4;
  start();
  fake_.hold_logins();
  flood(1);
  fake_.await_held_logins(1);
  flood(6);
  while (answered() < 2) std::this_thread::yield();  // the others wait
  std::vector<TestClient> others;
  for (int i = 0; i < 2; ++i) {
    others.push_back(writer());
    others.back().send(response_to(others.back().ask("A\t2\tada\n")));
  }
  while (answered() < 4) std::this_thread::yield();
  EXPECT_EQ(server_->statistics().logins_refused, 4U);
  fake_.let_logins_go();
  for (TestClient& one : others) EXPECT_EQ(one.line(), "0\t1");
  long refused = 0;
  for (TestClient& one : flood_) {
    const std::string reply = one.line();
    if (reply == "0\t1") continue;
    EXPECT_EQ(reply, "1\t1\ttoo_many_logins");
    ++refused;
  }
  EXPECT_EQ(refused, 4);
}

// --- logins that ask their clients ---

class HeldLoginTest : public LoginPoolTest {
 protected:
  static constexpr std::string_view kAsk = "A\t2\tada\ted25519\n";
  // "question 1", and the answer to it.
  static constexpr std::string_view kFirst = "0\t2\ted25519\t7175657374696f6e2031";
  static constexpr std::string_view kAnswer = "A\t3\t7175657374696f6e2031736563726574\n";
  static constexpr std::string_view kSecond = "0\t2\ted25519\t7175657374696f6e2032";
  static constexpr std::string_view kAnswerSecond = "A\t3\t7175657374696f6e2032736563726574\n";

  HeldLoginTest() {
    fake_.ask_at_login("ada", "ed25519", 1);
    config_.logins.longest_question = std::chrono::hours(1);
  }
};

TEST_F(HeldLoginTest, TheClientAnswersWhatItIsAskedOnManyConnectionsAtOnce) {
  fake_.ask_at_login("ada", "ed25519", 2);
  start();
  std::vector<TestClient> clients;
  for (int i = 0; i < 12; ++i) clients.push_back(client());
  for (TestClient& one : clients) one.send(kAsk);
  for (TestClient& one : clients) ASSERT_EQ(one.line(), kFirst);
  for (TestClient& one : clients) ASSERT_EQ(one.ask(kAnswer), kSecond);
  for (TestClient& one : clients) ASSERT_EQ(one.ask(kAnswerSecond), "0\t1");
  for (TestClient& one : clients) ASSERT_EQ(one.ask(kOpen), "0\t1");
  EXPECT_EQ(server_->statistics().logins, 12U);
}

TEST_F(HeldLoginTest, OthersLogInWhileEveryThreadWaitsForAClient) {
  config_.logins.most_held = 4;
  fake_.create_account("bob", "secret");
  start();
  TestClient first = client();
  TestClient second = client();
  ASSERT_EQ(first.ask(kAsk), kFirst);
  ASSERT_EQ(second.ask(kAsk), kFirst);
  TestClient bob = client();
  EXPECT_EQ(bob.ask("A\t4\tbob\tsecret\n"), "0\t1");
  EXPECT_EQ(second.ask(kAnswer), "0\t1");
  EXPECT_EQ(first.ask(kAnswer), "0\t1");
}

TEST_F(HeldLoginTest, TheOldestGivesWayToTheNext) {
  config_.logins.most_held = 4;
  start();
  std::vector<TestClient> clients;
  for (int i = 0; i < 6; ++i) {
    clients.push_back(client());
    ASSERT_EQ(clients.back().ask(kAsk), kFirst);
  }
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(clients[i].ask(kAnswer), i < 4 ? "1\t1\ttoo_many_logins" : "0\t1") << i;
  }
  // It may begin again.
  EXPECT_EQ(clients[0].ask(kAsk), kFirst);
  EXPECT_EQ(clients[0].ask(kAnswer), "0\t1");
}

TEST_F(HeldLoginTest, AFloodOfHalfFinishedLoginsIsAskedToTheLast) {
  config_.logins.most_held = 4;
  start();
  std::vector<TestClient> clients;
  for (int i = 0; i < 64; ++i) {
    clients.push_back(client());
    clients.back().send(kAsk);
  }
  for (TestClient& one : clients) ASSERT_EQ(one.line(), kFirst);
}

TEST_F(HeldLoginTest, AClientThatDoesNotAnswerInTimeIsRefused) {
  config_.logins.longest_question = std::chrono::milliseconds(1);
  start();
  TestClient ada = client();
  ASSERT_EQ(ada.ask(kAsk), kFirst);
  await_logins(1);
  EXPECT_EQ(ada.ask(kAnswer), "3\t1\tunauth");
  EXPECT_EQ(ada.ask(kOpen), "3\t1\tunauth");
}

TEST_F(HeldLoginTest, ALoginEndsWithItsConnectionAndWithTheNextLogin) {
  start();
  {
    TestClient ada = client();
    ASSERT_EQ(ada.ask(kAsk), kFirst);
    ASSERT_EQ(ada.ask(kAsk), kFirst);
    await_logins(1);
  }
  await_logins(2);
  await_open(0);
}

TEST_F(HeldLoginTest, TheServerStopsWithLoginsThatWaitForTheirClients) {
  start();
  std::vector<TestClient> clients;
  for (int i = 0; i < 5; ++i) {
    clients.push_back(client());
    ASSERT_EQ(clients.back().ask(kAsk), kFirst);
  }
  server_->stop();
  EXPECT_EQ(server_->statistics().connections_open, 0U);
}

TEST_F(HeldLoginTest, FurtherThreadsEndAndComeAgain) {
  config_.logins.threads = 1;
  config_.logins.longest_idle = std::chrono::milliseconds(0);
  start();
  for (int round = 0; round < 20; ++round) {
    std::vector<TestClient> clients;
    for (int i = 0; i < 4; ++i) {
      clients.push_back(client());
      clients.back().send(kAsk);
    }
    for (TestClient& one : clients) ASSERT_EQ(one.line(), kFirst);
    for (TestClient& one : clients) ASSERT_EQ(one.ask(kAnswer), "0\t1");
  }
}

}  // namespace
}  // namespace hs::server
