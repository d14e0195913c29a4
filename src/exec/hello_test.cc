#include "exec/hello.h"

#include "testing/fixtures/exec_fixture.h"

namespace hs::exec {
namespace {

class HelloTest : public ExecTest {
 protected:
  std::string greet(std::string_view name) {
    protocol::Request request;
    request.verb = protocol::Verb::kHello;
    request.client_name = Value::of(name);
    plan_and_execute(context, request, client, *session, scratch, reply);
    return reply.take();
  }
};

TEST_F(HelloTest, SaysWhoServesAndUnderWhichNumberTheConnectionIsKnown) {
  context.version = "2.1";
  context.server_version = "10.11.18";
  client.set_id(7);
  EXPECT_EQ(greet("php"),
            "rows 6: [2,HandlerSocket "
            "2,2.1,10.11.18,login,descending,all,count,describe,upsert,returning,gtid,transaction,"
            "ttl,7]");
  context.has_tls = true;
  EXPECT_EQ(greet("php"),
            "rows 6: [2,HandlerSocket "
            "2,2.1,10.11.18,tls,login,descending,all,count,describe,upsert,returning,gtid,"
            "transaction,ttl,7]");
  EXPECT_EQ(client.name(), "php");
  EXPECT_TRUE(client.take_new_name());
  EXPECT_FALSE(client.take_new_name());
}

TEST_F(HelloTest, BeforeAuthenticationSaysOnlyHowToAuthenticate) {
  authentication.secret = "secret";
  EXPECT_EQ(greet(""), "rows 3: [2,HandlerSocket 2,secret]");
  authentication = {.secret = {}, .account = true};
  EXPECT_EQ(greet(""),
            "rows 3: [2,HandlerSocket 2,mysql_native_password,ed25519,unix_socket,password]");
}

TEST_F(HelloTest, ANameIsShownWithoutWhatCannotBePrinted) {
  greet("a\nb\xff\x1b[0m");
  EXPECT_EQ(client.name(), "a?b??[0m");
}

TEST_F(HelloTest, ALongNameIsCut) {
  greet(std::string(1000, 'x'));
  EXPECT_EQ(client.name().size(), kMaxClientName);
}

}  // namespace
}  // namespace hs::exec
