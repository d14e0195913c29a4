#include "exec/login.h"

#include <cstdio>
#include <functional>

#include "exec/auth.h"
#include "testing/fixtures/exec_fixture.h"

namespace hs::exec {
namespace {

using protocol::AuthMethod;

constexpr Channel kPlain{-1, nullptr, false, false};
constexpr Channel kTls{-1, nullptr, true, false};
constexpr Channel kLocal{-1, nullptr, true, true};

class LoginTest : public ExecTest {
 protected:
  LoginTest() {
    authentication.account = true;
    fake.create_account("ada", "secret");
  }

  // As the server does it: the login is carried out elsewhere, and then the request is executed.
  std::string log_in(AuthMethod method, std::string_view user, std::string_view key,
                     const Channel& channel) {
    const Ask ask = Ask::login(method, user, key);
    if (begin_login(ask.request(), channel, client)) client.login()->carry_out(engine, nullptr);
    return run(ask);
  }
  // The answer to the challenge in `reply`, as the fake engine wants it.
  static std::string answer(const std::string& reply, std::string_view password) {
    std::string hex = reply.substr(reply.rfind(',') + 1);
    hex.pop_back();  // the bracket
    constexpr std::string_view kDigits = "0123456789abcdef";
    for (const char byte : password) {
      hex += kDigits[static_cast<unsigned char>(byte) / 16];
      hex += kDigits[static_cast<unsigned char>(byte) % 16];
    }
    return hex;
  }
  std::string challenge(std::string_view user) {
    return log_in(AuthMethod::kChallenge, user, "", kPlain);
  }
};

TEST_F(LoginTest, NothingWorksBeforeTheLoginAndWhatTheAccountMayDoBehindIt) {
  fake.grant("ada", "test.user", engine::kAllRights);
  EXPECT_EQ(run(Ask::open(1, "user", "", "id")), "error unauth");
  EXPECT_EQ(log_in(AuthMethod::kPassword, "ada", "secret", kTls), "ok");
  EXPECT_EQ(run(Ask::open(1, "user", "", "id")), "ok");
  EXPECT_NE(client.account(), nullptr);
}

TEST_F(LoginTest, APasswordIsTakenOnlyWhereNoneCanListen) {
  EXPECT_EQ(log_in(AuthMethod::kPassword, "ada", "secret", kPlain), "error authtype");
  EXPECT_EQ(run(Ask::open(1, "user", "", "id")), "error unauth");
  EXPECT_EQ(log_in(AuthMethod::kPassword, "ada", "secret", kLocal), "ok");
}

TEST_F(LoginTest, TheAnswerToAChallengeLogsIn) {
  const std::string given = challenge("ada");
  EXPECT_NE(given.find("mysql_native_password"), std::string::npos) << given;
  EXPECT_EQ(log_in(AuthMethod::kResponse, "", answer(given, "secret"), kPlain), "ok");
  EXPECT_NE(client.account(), nullptr);
}

TEST_F(LoginTest, AChallengeIsAnsweredOnce) {
  const std::string given = challenge("ada");
  EXPECT_EQ(log_in(AuthMethod::kResponse, "", answer(given, "guess"), kPlain), "error unauth");
  EXPECT_EQ(log_in(AuthMethod::kResponse, "", answer(given, "secret"), kPlain), "error unauth");
}

TEST_F(LoginTest, EveryChallengeIsAnother) { EXPECT_NE(challenge("ada"), challenge("ada")); }

TEST_F(LoginTest, AnUnknownAccountIsAnsweredAsAKnownOne) {
  const std::string known = challenge("ada");
  const std::string unknown = challenge("bob");
  EXPECT_EQ(known.size(), unknown.size());
  EXPECT_EQ(log_in(AuthMethod::kResponse, "", answer(unknown, "secret"), kPlain), "error unauth");
  EXPECT_EQ(log_in(AuthMethod::kPassword, "bob", "secret", kTls), "error unauth");
}

TEST_F(LoginTest, AResponseWithoutAChallengeOrInNoHexadecimalIsRefused) {
  EXPECT_EQ(log_in(AuthMethod::kResponse, "", "00", kPlain), "error unauth");
  for (const char* response : {"0", "0g", "xx"}) {
    challenge("ada");
    EXPECT_EQ(log_in(AuthMethod::kResponse, "", response, kPlain), "error unauth") << response;
  }
}

TEST_F(LoginTest, TheSystemsUserIsAskedForOnlyOnAUnixSocketAndWhenTheClientOffersIt) {
  const Ask ask = Ask::login(AuthMethod::kChallenge, "ada", "mysql_native_password,unix_socket");
  EXPECT_FALSE(begin_login(ask.request(), kTls, client));
  EXPECT_FALSE(
      begin_login(Ask::login(AuthMethod::kChallenge, "ada", "").request(), kLocal, client));
  ASSERT_TRUE(begin_login(ask.request(), kLocal, client));
  EXPECT_EQ(client.login()->credentials.proof, engine::Credentials::Proof::kPeer);
}

TEST_F(LoginTest, AMethodThatTheClientCannotDoIsNotOffered) {
  EXPECT_EQ(log_in(AuthMethod::kChallenge, "ada", "caching_sha2_password", kPlain),
            "error authtype");
}

TEST_F(LoginTest, TheSecretOfAnEndpointIsNoLogin) {
  EXPECT_EQ(log_in(AuthMethod::kSecret, "", "", kPlain), "error authtype");
  EXPECT_EQ(log_in(AuthMethod::kUnknown, "", "", kPlain), "error authtype");
}

TEST_F(LoginTest, WithoutAccountsALoginIsAnUnknownType) {
  authentication.account = false;
  for (const AuthMethod method :
       {AuthMethod::kChallenge, AuthMethod::kResponse, AuthMethod::kPassword}) {
    EXPECT_EQ(log_in(method, "ada", "secret", kLocal), "error authtype");
  }
}

TEST_F(LoginTest, AFailureEndsAnEarlierLogin) {
  ASSERT_EQ(log_in(AuthMethod::kPassword, "ada", "secret", kTls), "ok");
  EXPECT_EQ(log_in(AuthMethod::kPassword, "ada", "guess", kTls), "error unauth");
  EXPECT_EQ(client.account(), nullptr);
  EXPECT_EQ(run(Ask::open(1, "user", "", "id")), "error unauth");
}

TEST_F(LoginTest, ALoginThatIsDoneKeepsNoSecret) {
  const Ask ask = Ask::login(AuthMethod::kPassword, "ada", "secret");
  ASSERT_TRUE(begin_login(ask.request(), kTls, client));
  EXPECT_EQ(client.login()->credentials.secret, "secret");
  client.login()->carry_out(engine, nullptr);
  EXPECT_EQ(client.login()->credentials.secret, "");
}

// A client that answers each question at once, with what a client of the fake engine would.
class Answering final : public engine::Dialogue {
 public:
  using Answer = std::function<bool(const Login& login)>;  // false: the client has left
  Answering(Login& login, Answer answer) : login_(login), answer_(std::move(answer)) {}

  Outcome ask(std::string_view method, std::string_view question, std::string* answer) override {
    if (!login_.takes(method)) return Outcome::kCannot;
    login_.ask(method, question);
    if (!answer_(login_)) return Outcome::kLeft;
    answer->append(login_.credentials.secret);
    return Outcome::kAnswered;
  }

 private:
  Login& login_;
  const Answer answer_;
};

class DialogueTest : public LoginTest {
 protected:
  static constexpr std::string_view kMethods = "mysql_native_password,ed25519";

  static std::string hex(std::string_view text) {
    std::string result;
    for (const char byte : text) {
      char digits[3];
      (void)std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(byte));
      result += digits;
    }
    return result;
  }

  // Logs in by questions, and returns what the client was told in turn.
  std::vector<std::string> talk(std::string_view user, std::string_view methods,
                                std::string_view password, const Channel& channel = kPlain) {
    std::vector<std::string> told;
    const Ask first = Ask::login(AuthMethod::kChallenge, user, methods);
    if (!begin_login(first.request(), channel, client)) return {run(first)};
    std::string texts[4];
    size_t round = 0;
    Answering answering(*client.login(), [&](const Login& login) {
      const auto last =
          round == 0 ? first : Ask::login(AuthMethod::kResponse, "", texts[round - 1]);
      EXPECT_FALSE(begin_login(last.request(), channel, client));
      told.push_back(run(last));
      std::string& text = texts[round++];
      text = hex(login.question + std::string(password));
      return begin_login(Ask::login(AuthMethod::kResponse, "", text).request(), channel, client);
    });
    EXPECT_TRUE(client.login()->carry_out(engine, &answering));
    told.push_back(
        run(round == 0 ? first : Ask::login(AuthMethod::kResponse, "", texts[round - 1])));
    return told;
  }
};

TEST_F(DialogueTest, TheDatabasesQuestionsArePutToTheClientOneAfterTheOther) {
  fake.ask_at_login("ada", "ed25519", 2);
  const std::vector<std::string> told = talk("ada", kMethods, "secret");
  EXPECT_EQ(told, (std::vector<std::string>{"rows 2: [ed25519," + hex("question 1") + "]",
                                            "rows 2: [ed25519," + hex("question 2") + "]", "ok"}));
  EXPECT_NE(client.account(), nullptr);
}

TEST_F(DialogueTest, AWrongAnswerIsRefused) {
  fake.ask_at_login("ada", "ed25519", 2);
  const std::vector<std::string> told = talk("ada", kMethods, "guess");
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[1], "error unauth");
  EXPECT_EQ(client.account(), nullptr);
}

TEST_F(DialogueTest, AClientThatListsOnlyTheCheapMethodKeepsNoThreadBusy) {
  const Ask ask = Ask::login(AuthMethod::kChallenge, "ada", "mysql_native_password");
  EXPECT_FALSE(begin_login(ask.request(), kPlain, client));
}

TEST_F(DialogueTest, AMethodThatGivesThePasswordAwayIsAskedForOnlyWhereNoneCanListen) {
  fake.ask_at_login("ada", "dialog", 1);
  EXPECT_EQ(talk("ada", "dialog", "secret", kPlain), (Rows{"error authtype"}));
  EXPECT_EQ(talk("ada", "dialog", "secret", kTls).back(), "ok");
}

TEST_F(DialogueTest, AnAccountThatCannotBeAskedLooksAsAnyOther) {
  fake.create_account("bob", "secret");
  fake.ask_at_login("bob", "dialog", 1);
  for (const std::string_view user : {"bob", "nosuch"}) {
    const std::vector<std::string> told = talk(user, "ed25519", "secret");
    ASSERT_EQ(told.size(), 1U);
    EXPECT_TRUE(told[0].starts_with("rows 2: [ed25519,")) << told[0];
    EXPECT_EQ(told[0].size(), std::string("rows 2: [ed25519,]").size() + 64) << told[0];
    const std::string response(128, '0');
    EXPECT_EQ(log_in(AuthMethod::kResponse, "", response, kPlain), "error unauth");
  }
}

TEST_F(DialogueTest, ALoginThatWasGivenUpChangesNothingAnyMore) {
  fake.ask_at_login("ada", "ed25519", 1);
  const Ask ask = Ask::login(AuthMethod::kChallenge, "ada", kMethods);
  ASSERT_TRUE(begin_login(ask.request(), kPlain, client));
  const std::shared_ptr<Login> login = client.shared_login();
  Answering answering(*login, [&](const Login&) {
    client.set_login(nullptr);  // as when the connection ends
    return false;
  });
  EXPECT_FALSE(login->carry_out(engine, &answering));
  EXPECT_NE(login->state, Login::State::kDone);
}

}  // namespace
}  // namespace hs::exec
