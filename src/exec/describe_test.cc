#include "exec/describe.h"

#include "exec/open.h"
#include "testing/fake_session.h"
#include "testing/fixtures/exec_fixture.h"

namespace hs::exec {
namespace {

using hs::testing::Call;

class DescribeTest : public ExecTest {
 protected:
  std::string describe(std::string_view database = {}, std::string_view table = {},
                       bool of_indexes = false) {
    protocol::Request request;
    request.verb = protocol::Verb::kDescribe;
    request.database = database;
    request.table = table;
    request.of_indexes = of_indexes;
    outcome = plan_and_execute(context, request, client, *session, scratch, reply);
    return reply.take();
  }

  Outcome outcome;
};

TEST_F(DescribeTest, TellsTheDatabases) {
  fake.create_table("other.t(id int; PRIMARY(id))");
  EXPECT_EQ(describe(), "rows 1: [other] [test]");
  EXPECT_EQ(outcome.rows, 2u);
}

TEST_F(DescribeTest, TellsTheTablesOfADatabase) {
  fake.create_table("test.again(id int; PRIMARY(id))");
  EXPECT_EQ(describe("test"), "rows 2: [again,] [user,]");
}

TEST_F(DescribeTest, TellsTheColumnsOfATable) {
  EXPECT_EQ(describe("test", "user"),
            "rows 8: [id,int(11),NO,PRI,NULL,,NULL,] [name,text,YES,UNI,NULL,,binary,]"
            " [age,int(11),YES,MUL,NULL,,NULL,] [city,text,NO,MUL,'nowhere',,binary,]");
}

TEST_F(DescribeTest, TellsTheIndexesOfATable) {
  EXPECT_EQ(describe("test", "user", true),
            "rows 6: [PRIMARY,1,id,1,A,NULL] [by_age,1,age,0,A,NULL] [by_city_age,1,city,0,A,NULL]"
            " [by_city_age,2,age,0,A,NULL] [by_name,1,name,1,A,NULL]");
}

TEST_F(DescribeTest, WhatIsNotThereIsAnError) {
  EXPECT_EQ(describe("nowhere"), "error open_table");
  EXPECT_EQ(describe("test", "nothing"), "error open_table");
  EXPECT_EQ(describe("test", "nothing", true), "error open_table");
  EXPECT_EQ(describe(std::string(kMaxNameSize + 1, 'x')), "error open_table");
  EXPECT_EQ(engine.calls(Call::kDescribe), 3u);
}

TEST_F(DescribeTest, AnAccountIsToldOnlyWhatItSees) {
  fake.create_table("other.t(id int; PRIMARY(id))");
  fake.create_account("ann", "");
  fake.grant("ann", "other.t", {});
  client.set_account(std::make_shared<hs::testing::FakeAccount>("ann"));
  EXPECT_EQ(describe(), "rows 1: [other]");
  EXPECT_EQ(describe("test"), "error open_table");
  EXPECT_EQ(describe("test", "user"), "error open_table");
  client.set_account(nullptr);
  EXPECT_EQ(describe(), "rows 1: [other] [test]");
}

TEST_F(DescribeTest, IsRefusedBeforeAuthentication) {
  authentication.secret = "secret";
  EXPECT_EQ(describe(), "error unauth");
  EXPECT_EQ(engine.calls(Call::kDescribe), 0u);
}

TEST_F(DescribeTest, AReplyThatIsTooLongIsAnErrorInstead) {
  reply.max_rows = 1;
  EXPECT_EQ(describe("test", "user"), "error reply_too_long");
}

TEST_F(DescribeTest, AnErrorTakesTheRowsBack) {
  engine.fail(Call::kDescribe, 1, Error{ErrorCode::kLockTables, 0, {}});
  EXPECT_EQ(describe("test", "user"), "error lock_tables");
  EXPECT_EQ(describe("test"), "rows 2: [user,]");
}

}  // namespace
}  // namespace hs::exec
