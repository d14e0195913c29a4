#include "exec/execute.h"

#include "testing/fixtures/exec_fixture.h"

namespace hs::exec {
namespace {

using protocol::ErrorStage;

class ExecuteTest : public ExecTest {
 protected:
  void SetUp() override {
    add_people();
    ASSERT_EQ(run(Ask::open(1, "user", "", "id,name", "age")), "ok");
  }
};

TEST_F(ExecuteTest, AnswersAnUnknownCommandWithItsError) {
  protocol::Request request;
  request.error = ErrorCode::kCommand;
  plan_and_execute(context, request, client, *session, scratch, reply);
  EXPECT_EQ(reply.take(), "error cmd");
}

TEST_F(ExecuteTest, AnIndexMustBeOpen) {
  EXPECT_EQ(run(Ask::find(2, "=", {"1"})), "error stmtnum");
  EXPECT_EQ(run(Ask::insert(2, {"1"})), "error stmtnum");
  EXPECT_EQ(run(Ask::find(4294967295u, "=", {"1"}).erase()), "error stmtnum");
}

// One line for each check, in order: the request makes that mistake and every later one.
TEST_F(ExecuteTest, ReportsTheFirstMistakeInTheProtocolsOrder) {
  const auto bad = [](ErrorCode code, ErrorStage stage, uint32_t id = 1, uint32_t column = 9,
                      bool type_ok = false) {
    return Ask::find(id, "=", {"1", "2"})
        .filter(column, type_ok)
        .update({"1", "2", "3"})
        .malformed(code, stage);
  };
  use(engine::Mode::kReadOnly);
  EXPECT_EQ(run(bad(ErrorCode::kNumber, ErrorStage::kIndexId, 9)), "error number");
  EXPECT_EQ(run(bad(ErrorCode::kValueCount, ErrorStage::kCounts, 9)), "error stmtnum");
  EXPECT_EQ(run(bad(ErrorCode::kInCount, ErrorStage::kCounts)), "error invalueslen");
  EXPECT_EQ(run(bad(ErrorCode::kFilterType, ErrorStage::kFilters)), "error filtertype");
  EXPECT_EQ(run(bad(ErrorCode::kOperator, ErrorStage::kOperation)), "error filtertype");
  EXPECT_EQ(run(bad(ErrorCode::kOperator, ErrorStage::kOperation, 1, 1, true)), "error filterfld");
  EXPECT_EQ(run(bad(ErrorCode::kOperator, ErrorStage::kOperation, 1, 0, true)), "error op");
  EXPECT_EQ(run(bad(ErrorCode::kKeyLength, ErrorStage::kOperation, 1, 0, true)), "error klen");
  EXPECT_EQ(run(bad(ErrorCode::kModifyOperator, ErrorStage::kModification, 1, 0, true)),
            "error readonly");
  EXPECT_EQ(run(bad(ErrorCode::kEscape, ErrorStage::kContents, 1, 0, true)), "error readonly");
  use(engine::Mode::kReadWrite);
  EXPECT_EQ(run(bad(ErrorCode::kModifyOperator, ErrorStage::kModification, 1, 0, true)),
            "error modop");
  EXPECT_EQ(run(bad(ErrorCode::kEscape, ErrorStage::kContents, 1, 0, true)), "error kpnum");
  engine.fail(hs::testing::Call::kBeginRequest, 1, {ErrorCode::kLockTables, 0, {}});
  EXPECT_EQ(run(bad(ErrorCode::kEscape, ErrorStage::kContents, 1, 0, true)), "error lock_tables");
}

// The checks behind the lock, where the index and its columns are known.
TEST_F(ExecuteTest, ReportsTheFirstMistakeAgainstTheIndexInTheProtocolsOrder) {
  using hs::testing::Call;
  const auto bad = [&](Ask::Texts key, Ask::Texts operands, uint32_t in_part = 9,
                       ErrorStage stage = ErrorStage::kContents) {
    Ask ask = Ask::find(1, "=", key)
                  .in(in_part, {"1"})
                  .filter(0)
                  .modify(Modification::kIncrement, operands);
    return stage == ErrorStage::kContents ? std::move(ask).malformed(ErrorCode::kEscape, stage)
                                          : ask;
  };
  constexpr ErrorStage kFine = ErrorStage::kIndexId;
  engine.fail(Call::kSetFilters, 1, {ErrorCode::kFilterBlob, 0, {}});
  engine.fail(Call::kSeek, 1, Error::engine(137));
  EXPECT_EQ(run(bad({"1", "2"}, {"x"})), "error kpnum");
  EXPECT_EQ(run(bad({"1"}, {"x"})), "error missing_value");
  EXPECT_EQ(run(bad({"1"}, {"x", "x", "x"})), "error fldnum");
  EXPECT_EQ(run(bad({"1"}, {"x", "x"})), "error escape");
  EXPECT_EQ(run(bad({"1"}, {"x", "x"}, 1, kFine)), "error kpnum");
  EXPECT_EQ(run(bad({"1"}, {"x", "x"}, 0, kFine)), "error number");
  EXPECT_EQ(run(bad({"1"}, {"1", "1"}, 0, kFine)), "error filterblob");
  EXPECT_EQ(run(bad({"1"}, {"1", "1"}, 0, kFine)), "error 137");
  EXPECT_EQ(run(bad({"1"}, {"1", nullptr}, 0, kFine)), "count 0");
}

TEST_F(ExecuteTest, ChecksTheContentsAfterTheCounts) {
  for (ErrorCode code : {ErrorCode::kEscape, ErrorCode::kNumber, ErrorCode::kMissingValue}) {
    const std::string text = "error " + std::string(protocol::handlersocket::wire_text(code));
    EXPECT_EQ(run(Ask::find(1, "=", {"1"}).malformed(code, ErrorStage::kContents)), text);
    const Ask update = Ask::find(1, "=", {"1"}).update({"1", "x"});
    EXPECT_EQ(run(Ask(update).malformed(code, ErrorStage::kContents)), text);
    EXPECT_EQ(run(Ask::find(1, "=", {"1"}).erase().malformed(code, ErrorStage::kContents)), text);
    EXPECT_EQ(run(Ask::insert(1, {"9"}).malformed(code, ErrorStage::kContents)), text);
    EXPECT_EQ(run(Ask::insert(1, {"9", "x", "y"}).malformed(code, ErrorStage::kContents)),
              "error fldnum");
  }
  EXPECT_EQ(users().size(), 5u);
}

TEST_F(ExecuteTest, TheOldFilterTypesAreCheckedPerFilter) {
  EXPECT_EQ(run(Ask::find(1, "=", {"1"}).filter(1).filter(0, false)), "error filterfld");
  EXPECT_EQ(run(Ask::find(1, "=", {"1"}).filter(0).filter(0, false)), "error filtertype");
}

TEST_F(ExecuteTest, NeverCommits) {
  ASSERT_EQ(run(Ask::insert(1, {"9", "new"})), "ok");
  ASSERT_EQ(run(Ask::find(1, "=", {"9"}).update({"8", "newer"})), "count 1");
  EXPECT_TRUE(session->has_uncommitted_changes());
  session->rollback();
  EXPECT_EQ(users().size(), 5u);
}

TEST_F(ExecuteTest, CanRunTheSameRequestsAgainAfterARollback) {
  const Ask insert = Ask::insert(1, {"9", "new"});
  const Ask update = Ask::find(1, "=", {"9"}).update({"8", "newer"});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(run(insert), "ok");
    EXPECT_EQ(run(update), "count 1");
    session->rollback();
  }
}

}  // namespace
}  // namespace hs::exec
