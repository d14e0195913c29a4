#include "exec/auth.h"

#include "testing/fixtures/exec_fixture.h"

namespace hs::exec {
namespace {

using AuthTest = ExecTest;

TEST_F(AuthTest, WithoutASecretEverythingWorksAndOnlyTheEmptyKeyIsRight) {
  EXPECT_EQ(run(Ask::auth(Value::of(""))), "ok");
  EXPECT_EQ(run(Ask::auth(Value::of("x"))), "error unauth");
  EXPECT_EQ(run(Ask::auth(Value::null())), "error unauth");
  EXPECT_EQ(run(Ask::auth(Value::of(""), protocol::AuthMethod::kUnknown)), "error authtype");
  EXPECT_EQ(run(Ask::open(1, "user", "", "id")), "ok");
}

TEST_F(AuthTest, WithASecretNothingWorksBeforeTheRightKey) {
  authentication.secret = "se\1cret";
  EXPECT_EQ(run(Ask::open(1, "user", "", "id")), "error unauth");
  EXPECT_EQ(run(Ask::find(1, "=", {"1"})), "error unauth");
  EXPECT_EQ(run(Ask::insert(1, {"1"})), "error unauth");
  EXPECT_EQ(run(Ask::auth(Value::of("se\1cret"))), "ok");
  EXPECT_EQ(run(Ask::open(1, "user", "", "id")), "ok");
  EXPECT_EQ(run(Ask::find(1, "=", {"1"})), "rows 1:");
}

TEST_F(AuthTest, RefusesEveryOtherKey) {
  authentication.secret = "secret";
  for (const char* key : {"", "s", "secre", "secrets", "secretsecret", "Secret", "secreT"}) {
    EXPECT_EQ(run(Ask::auth(Value::of(key))), "error unauth") << key;
  }
  EXPECT_EQ(run(Ask::auth(Value::null())), "error unauth");
}

TEST_F(AuthTest, AFailureTakesAnEarlierAuthorizationAway) {
  authentication.secret = "secret";
  const Ask good = Ask::auth(Value::of("secret"));
  for (const Ask& bad : {Ask::auth(Value::of("x")),
                         Ask::auth(Value::of("secret"))
                             .malformed(ErrorCode::kEscape, protocol::ErrorStage::kContents)}) {
    ASSERT_EQ(run(good), "ok");
    ASSERT_EQ(run(Ask::find(1, "=", {"1"})), "error stmtnum");
    EXPECT_NE(run(bad), "ok");
    EXPECT_EQ(run(Ask::find(1, "=", {"1"})), "error unauth");
  }
}

TEST_F(AuthTest, AnUnknownTypeLeavesAnEarlierAuthorization) {
  authentication.secret = "secret";
  ASSERT_EQ(run(Ask::auth(Value::of("secret"))), "ok");
  EXPECT_EQ(run(Ask::auth(Value::of("secret"), protocol::AuthMethod::kUnknown)), "error authtype");
  EXPECT_EQ(run(Ask::find(1, "=", {"1"})), "error stmtnum");
}

TEST_F(AuthTest, IsPerConnection) {
  authentication.secret = "secret";
  Client other(pool, authentication);
  ASSERT_EQ(run(Ask::auth(Value::of("secret"))), "ok");
  EXPECT_EQ(run(Ask::find(1, "=", {"1"}), other), "error unauth");
}

TEST_F(AuthTest, ComesBeforeEveryErrorButAnUnknownCommand) {
  authentication.secret = "secret";
  protocol::Request unknown;
  unknown.error = ErrorCode::kCommand;
  plan_and_execute(context, unknown, client, *session, scratch, reply);
  EXPECT_EQ(reply.take(), "error cmd");
  EXPECT_EQ(
      run(Ask::find(1, "=", {"1"}).malformed(ErrorCode::kNumber, protocol::ErrorStage::kIndexId)),
      "error unauth");
  EXPECT_EQ(run(Ask::open(1, "user", "", "id")
                    .malformed(ErrorCode::kNumber, protocol::ErrorStage::kIndexId)),
            "error unauth");
}

}  // namespace
}  // namespace hs::exec
