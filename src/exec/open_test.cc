#include "exec/open.h"

#include "testing/fixtures/exec_fixture.h"

namespace hs::exec {
namespace {

std::string repeated(std::string_view name, size_t times) {
  std::string list(name);
  for (size_t i = 1; i < times; ++i) list.append(",").append(name);
  return list;
}

using OpenTest = ExecTest;

TEST_F(OpenTest, TakesAnIndexByNameNumberOrAsPrimaryByDefault) {
  EXPECT_EQ(run(Ask::open(0, "user", "by_age", "id")), "ok");
  EXPECT_EQ(run(Ask::open(1, "user", "2", "id")), "ok");
  EXPECT_EQ(run(Ask::open(2, "user", "", "id")), "ok");
}

TEST_F(OpenTest, RefusesUnknownTablesIndexesAndColumns) {
  EXPECT_EQ(run(Ask::open(0, "nothing", "", "id")), "error open_table");
  EXPECT_EQ(run(Ask::open(0, "user", "nothing", "id")), "error idxnum");
  EXPECT_EQ(run(Ask::open(0, "user", "primary", "id")), "error idxnum");
  EXPECT_EQ(run(Ask::open(0, "user", "9", "id")), "error idxnum");
  EXPECT_EQ(run(Ask::open(0, "user", "", "id,nothing")), "error fld");
  EXPECT_EQ(run(Ask::open(0, "user", "", "id", "nothing")), "error fld");
  EXPECT_EQ(client.open_indexes(), 0u);
}

TEST_F(OpenTest, ReportsTheTableBeforeTheIndexBeforeTheColumns) {
  EXPECT_EQ(run(Ask::open(0, "nothing", "nothing", "a,,b")), "error open_table");
  EXPECT_EQ(run(Ask::open(0, "user", "nothing", "a,,b")), "error idxnum");
}

TEST_F(OpenTest, TakesEmptyAndRepeatedColumnLists) {
  EXPECT_EQ(run(Ask::open(0, "user", "", "")), "ok");
  EXPECT_EQ(run(Ask::open(1, "user", "", "id,id,name,id")), "ok");
  EXPECT_EQ(client.open_columns(), 4u);
}

TEST_F(OpenTest, RefusesStrayCommasAndBlanks) {
  for (const char* list : {"id,", ",id", ",", "id,,name", "id, name", "ID"}) {
    EXPECT_EQ(run(Ask::open(0, "user", "", list)), "error fld") << list;
    EXPECT_EQ(run(Ask::open(0, "user", "", "id", list)), "error fld") << list;
  }
}

TEST_F(OpenTest, ReplacesAnIdAndKeepsItWhenThatFails) {
  add_people();
  ASSERT_EQ(run(Ask::open(1, "user", "", "id")), "ok");
  ASSERT_EQ(run(Ask::open(1, "user", "", "name")), "ok");
  ASSERT_EQ(run(Ask::open(1, "user", "", "nothing")), "error fld");
  EXPECT_EQ(run(Ask::find(1, "=", {"2"})), "rows 1: [bob]");
}

TEST_F(OpenTest, SharesOneSpecBetweenConnections) {
  Client other(pool);
  ASSERT_EQ(run(Ask::open(1, "user", "", "id,name")), "ok");
  ASSERT_EQ(run(Ask::open(4294967295u, "user", "", "id,name"), other), "ok");
  EXPECT_EQ(*client.find(1), *other.find(4294967295u));
  EXPECT_EQ(pool.size(), 1u);
}

TEST_F(OpenTest, LimitsTheIdsOfAConnectionButNotTheirReplacement) {
  context.limits.max_open_indexes = 2;
  EXPECT_EQ(run(Ask::open(1, "user", "", "id")), "ok");
  EXPECT_EQ(run(Ask::open(4294967295u, "user", "", "id")), "ok");
  EXPECT_EQ(run(Ask::open(2, "user", "", "id")), "error too_many_indexes");
  EXPECT_EQ(run(Ask::open(1, "user", "", "name")), "ok");
  EXPECT_EQ(client.open_indexes(), 2u);
}

TEST_F(OpenTest, LimitsTheLengthOfNames) {
  const std::string longest(kMaxNameSize, 'x');
  const std::string too_long(kMaxNameSize + 1, 'x');
  fake.create_table("test." + longest + "(" + longest + " int; " + longest + "(" + longest + "))");
  EXPECT_EQ(run(Ask::open(0, longest, longest, longest, longest)), "ok");
  EXPECT_EQ(run(Ask::open(0, too_long, longest, longest)), "error open_table");
  EXPECT_EQ(run(Ask::open(0, longest, too_long, longest)), "error idxnum");
  EXPECT_EQ(run(Ask::open(0, longest, longest, too_long)), "error fld");
  EXPECT_EQ(run(Ask::open(0, longest, longest, "", too_long)), "error fld");
  Ask ask = Ask::open(0, longest, longest, longest);
  protocol::Request request = ask.request();
  request.database = too_long;
  plan_and_execute(context, request, client, *session, scratch, reply);
  EXPECT_EQ(reply.take(), "error open_table");
}

TEST_F(OpenTest, LimitsTheColumnsOfAList) {
  const std::string most = repeated("id", context.limits.max_columns);
  const std::string too_many = repeated("id", context.limits.max_columns + 1);
  EXPECT_EQ(run(Ask::open(0, "user", "", most, most)), "ok");
  EXPECT_EQ(run(Ask::open(0, "user", "", too_many)), "error too_many_columns");
  EXPECT_EQ(run(Ask::open(0, "user", "", "", too_many)), "error too_many_columns");
}

TEST_F(OpenTest, LimitsTheColumnsOfAConnection) {
  const std::string most = repeated("id", context.limits.max_columns);
  for (uint32_t id = 0; id < kMaxOpenColumns / context.limits.max_columns; ++id) {
    ASSERT_EQ(run(Ask::open(id, "user", "", most)), "ok");
  }
  EXPECT_EQ(run(Ask::open(100, "user", "", "id")), "error too_many_indexes");
  EXPECT_EQ(run(Ask::open(0, "user", "", most)), "ok");
  EXPECT_EQ(run(Ask::open(0, "user", "", "")), "ok");
  EXPECT_EQ(run(Ask::open(100, "user", "", "id")), "ok");
}

TEST_F(OpenTest, AnswersAMalformedRequestWithItsError) {
  EXPECT_EQ(run(Ask::open(0, "user", "", "id")
                    .malformed(ErrorCode::kNumber, protocol::ErrorStage::kIndexId)),
            "error number");
  EXPECT_EQ(client.open_indexes(), 0u);
}

TEST_F(OpenTest, PassesOnTheEnginesError) {
  engine.fail(hs::testing::Call::kOpen, 1, {ErrorCode::kUnsupportedTable, 0, {}});
  EXPECT_EQ(run(Ask::open(0, "user", "", "id")), "error unsupported_table");
  EXPECT_EQ(run(Ask::find(0, "=", {"1"})), "error stmtnum");
}

}  // namespace
}  // namespace hs::exec
