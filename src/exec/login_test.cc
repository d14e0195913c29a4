#include "exec/login.h"

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
    if (begin_login(ask.request(), channel, client)) client.login()->carry_out(engine);
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
  client.login()->carry_out(engine);
  EXPECT_EQ(client.login()->credentials.secret, "");
}

}  // namespace
}  // namespace hs::exec
