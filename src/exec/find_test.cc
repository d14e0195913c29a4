#include "exec/find.h"

#include "testing/fixtures/exec_fixture.h"

namespace hs::exec {
namespace {

using hs::testing::Call;

class FindTest : public ExecTest {
 protected:
  void SetUp() override {
    add_people();
    ASSERT_EQ(run(Ask::open(1, "user", "", "id,name", "age")), "ok");
    ASSERT_EQ(run(Ask::open(2, "user", "by_age", "id,age")), "ok");
    ASSERT_EQ(run(Ask::open(3, "user", "by_city_age", "id")), "ok");
  }
};

TEST_F(FindTest, ReturnsTheRowOfAKey) {
  EXPECT_EQ(run(Ask::find(1, "=", {"2"})), "rows 2: [2,bob]");
}

TEST_F(FindTest, AMissingRowIsSuccess) { EXPECT_EQ(run(Ask::find(1, "=", {"9"})), "rows 2:"); }

TEST_F(FindTest, WalksTheIndexUpOrDown) {
  EXPECT_EQ(run(Ask::find(2, ">", {"10"}, 9)), "rows 2: [2,20] [3,20] [5,30]");
  EXPECT_EQ(run(Ask::find(2, ">=", {"20"}, 9)), "rows 2: [2,20] [3,20] [5,30]");
  EXPECT_EQ(run(Ask::find(2, "<", {"20"}, 9)), "rows 2: [1,10] [4,NULL]");
  EXPECT_EQ(run(Ask::find(2, "<=", {"20"}, 9)), "rows 2: [3,20] [2,20] [1,10] [4,NULL]");
  EXPECT_EQ(run(Ask::find(2, "=", {"20"}, 9)), "rows 2: [2,20] [3,20]");
}

TEST_F(FindTest, TakesNullAndPrefixesAsKeys) {
  EXPECT_EQ(run(Ask::find(2, "=", {nullptr})), "rows 2: [4,NULL]");
  EXPECT_EQ(run(Ask::find(3, "=", {"b"}, 9)), "rows 1: [4] [3]");
  EXPECT_EQ(run(Ask::find(3, "=", {"b", "20"}, 9)), "rows 1: [3]");
  EXPECT_EQ(run(Ask::find(3, ">", {"a"}, 9)), "rows 1: [4] [3] [5]");
  EXPECT_EQ(run(Ask::find(3, "<=", {"a"}, 9)), "rows 1: [2] [1]");
}

TEST_F(FindTest, WalksTheRowsOfAKeyDown) {
  EXPECT_EQ(run(Ask::find(2, "=<", {"20"}, 9)), "rows 2: [3,20] [2,20]");
  EXPECT_EQ(run(Ask::find(2, "=<", {"20"}, 1, 1)), "rows 2: [2,20]");
  EXPECT_EQ(run(Ask::find(2, "=<", {"15"}, 9)), "rows 2:");
  EXPECT_EQ(run(Ask::find(2, "=<", {"1.5"}, 9)), "rows 2:");
  EXPECT_EQ(run(Ask::find(2, "=<", {nullptr}, 9)), "rows 2: [4,NULL]");
  EXPECT_EQ(run(Ask::find(3, "=<", {"b"}, 9)), "rows 1: [3] [4]");
  EXPECT_EQ(run(Ask::find(3, "=<", {"b", "20"}, 9)), "rows 1: [3]");
  EXPECT_EQ(run(Ask::find(3, "=<", {""}, 9).in(0, {"c", "b", "a"})), "rows 1: [5] [3] [2]");
}

TEST_F(FindTest, CutsByOffsetAndLimit) {
  EXPECT_EQ(run(Ask::find(2, ">", {nullptr}, 1)), "rows 2: [1,10]");
  EXPECT_EQ(run(Ask::find(2, ">", {nullptr}, 2, 1)), "rows 2: [2,20] [3,20]");
  EXPECT_EQ(run(Ask::find(2, ">", {nullptr}, 9, 4)), "rows 2:");
}

TEST_F(FindTest, OffsetAndLimitDoNotWrap) {
  EXPECT_EQ(run(Ask::find(2, ">", {nullptr}, 4294967295u, 1)), "rows 2: [2,20] [3,20] [5,30]");
  EXPECT_EQ(run(Ask::find(2, ">", {nullptr}, 2147483648u, 2147483648u)), "rows 2:");
}

TEST_F(FindTest, ReadsNothingBehindTheLastRow) {
  const uint64_t before = engine.calls(Call::kNext);
  ASSERT_EQ(run(Ask::find(2, ">=", {"10"}, 2)), "rows 2: [1,10] [2,20]");
  EXPECT_EQ(engine.calls(Call::kNext), before + 1);
}

TEST_F(FindTest, ReturnsEmptyRowsOfAnIndexWithoutColumns) {
  ASSERT_EQ(run(Ask::open(4, "user", "", "")), "ok");
  EXPECT_EQ(run(Ask::find(4, ">=", {"4"}, 9)), "rows 0: [] []");
}

TEST_F(FindTest, InReadsOneRowForEachValueInOrder) {
  EXPECT_EQ(run(Ask::find(1, "=", {""}, 9).in(0, {"5", "9", "1", "1"})),
            "rows 2: [5,eve] [1,ada] [1,ada]");
  EXPECT_EQ(run(Ask::find(2, "=", {""}, 9).in(0, {"20", nullptr})), "rows 2: [2,20] [4,NULL]");
  EXPECT_EQ(run(Ask::find(1, ">", {""}, 9).in(0, {"1", "3", "5"})), "rows 2: [2,bob] [4,dan]");
}

TEST_F(FindTest, InReplacesOnePartOfTheKey) {
  EXPECT_EQ(run(Ask::find(3, "=", {"a", ""}, 9).in(1, {"20", "10"})), "rows 1: [2] [1]");
  EXPECT_EQ(run(Ask::find(3, "=", {"", "20"}, 9).in(0, {"b", "a"})), "rows 1: [3] [2]");
}

TEST_F(FindTest, InNeverLooksAtTheValueThatItReplaces) {
  EXPECT_EQ(run(Ask::find(1, "=", {nullptr}, 9).in(0, {"5", "1"})), "rows 2: [5,eve] [1,ada]");
  EXPECT_EQ(run(Ask::find(1, "=", {"no number"}, 9).in(0, {"5"})), "rows 2: [5,eve]");
  EXPECT_EQ(run(Ask::find(3, "=", {nullptr, "20"}, 9).in(0, {"b"})), "rows 1: [3]");
}

TEST_F(FindTest, InIsCutByOffsetAndLimit) {
  EXPECT_EQ(run(Ask::find(1, "=", {""}).in(0, {"9", "5", "1"})), "rows 2: [5,eve]");
  EXPECT_EQ(run(Ask::find(1, "=", {""}, 2, 1).in(0, {"5", "1", "2", "3"})),
            "rows 2: [1,ada] [2,bob]");
}

TEST_F(FindTest, AllOfAnInIsAFindForEachValue) {
  EXPECT_EQ(run(Ask::find(2, "=", {""}, 9).all_in(0, {"20", "9", nullptr, "20"})),
            "rows 2: [2,20] [3,20] [4,NULL] [2,20] [3,20]");
  EXPECT_EQ(run(Ask::find(2, "=<", {""}, 1).all_in(0, {"20", "10"})), "rows 2: [3,20] [1,10]");
  EXPECT_EQ(run(Ask::find(3, "=", {""}, 9).all_in(0, {"b", "a"})), "rows 1: [4] [3] [1] [2]");
  EXPECT_EQ(run(Ask::find(1, ">", {""}, 2).all_in(0, {"3", "1"})),
            "rows 2: [4,dan] [5,eve] [2,bob] [3,cyd]");
}

TEST_F(FindTest, LimitOffsetAndStopAreForEachValueOfAllOfAnIn) {
  EXPECT_EQ(run(Ask::find(2, "=", {""}).all_in(0, {"20", "30"})), "rows 2: [2,20] [5,30]");
  EXPECT_EQ(run(Ask::find(2, "=", {""}, 9, 1).all_in(0, {"20", "30", "20"})),
            "rows 2: [3,20] [3,20]");
  ASSERT_EQ(run(Ask::open(4, "user", "by_city_age", "id", "age")), "ok");
  EXPECT_EQ(run(Ask::find(4, ">=", {"", "0"}, 9).all_in(0, {"a", "c"}).stop_unless(0, "<", "20")),
            "rows 1: [1]");
  EXPECT_EQ(run(Ask::find(4, ">=", {"", "0"}, 9).all_in(0, {"a", "b"}).stop_unless(0, "<", "30")),
            "rows 1: [1] [2] [4] [3] [3]");
}

TEST_F(FindTest, AllOfAnInIsBoundByTheRowsOfAReply) {
  context.limits.max_rows = 3;
  EXPECT_EQ(run(Ask::find(2, "=", {""}, 9).all_in(0, {"20", "10"})),
            "rows 2: [2,20] [3,20] [1,10]");
  EXPECT_EQ(run(Ask::find(2, "=", {""}, 9).all_in(0, {"20", "10", "30"})), "error too_many_rows");
}

TEST_F(FindTest, RefusesAnInOutsideTheKey) {
  EXPECT_EQ(run(Ask::find(3, "=", {"a"}, 9).in(1, {"20"})), "error kpnum");
  EXPECT_EQ(run(Ask::find(3, "=", {"a"}, 9).in(4294967295u, {"20"})), "error kpnum");
}

TEST_F(FindTest, RefusesMoreKeyValuesThanParts) {
  EXPECT_EQ(run(Ask::find(1, "=", {"1", "2"})), "error kpnum");
  EXPECT_EQ(run(Ask::find(3, "=", {"a", "1", "2"})), "error kpnum");
}

TEST_F(FindTest, AnswersErrorsOfTheEngineAloneAndGoesOn) {
  const Error error = Error::engine(137);
  for (Call call : {Call::kCursor, Call::kBeginRequest, Call::kSeek, Call::kNext, Call::kRow,
                    Call::kEndRequest}) {
    engine.fail(call, 1, error);
    EXPECT_EQ(run(Ask::find(2, ">=", {"10"}, 9)), "error 137");
    EXPECT_EQ(run(Ask::find(1, "=", {"1"})), "rows 2: [1,ada]");
  }
}

TEST_F(FindTest, ReturnsAsManyRowsAsItMayAndNotOneMore) {
  context.limits.max_rows = 3;
  const std::string three = run(Ask::find(1, ">", {"0"}, 3));
  EXPECT_EQ(three.substr(0, 5), "rows ");
  EXPECT_EQ(run(Ask::find(1, ">", {"0"}, 4)), "error too_many_rows");
  EXPECT_EQ(run(Ask::find(1, ">", {"0"}, 9, 2)), run(Ask::find(1, ">", {"0"}, 3, 2)));
}

TEST_F(FindTest, TakesAsManyInValuesAsItMay) {
  context.limits.max_in_keys = 2;
  EXPECT_EQ(run(Ask::find(1, "=", {"0"}, 9).in(0, {"1", "2"})).substr(0, 5), "rows ");
  EXPECT_EQ(run(Ask::find(1, "=", {"0"}, 9).in(0, {"1", "2", "3"})), "error too_many_keys");
}

TEST_F(FindTest, AnswersATooLongReplyWithAnError) {
  reply.max_rows = 2;
  EXPECT_EQ(run(Ask::find(2, ">=", {"10"}, 2)), "rows 2: [1,10] [2,20]");
  EXPECT_EQ(run(Ask::find(2, ">=", {"10"}, 3)), "error reply_too_long");
}

TEST_F(FindTest, AnswersLackOfMemoryWithAnError) {
  reply.bad_alloc_at = 2;
  EXPECT_EQ(run(Ask::find(2, ">=", {"10"}, 3)), "error 128");
  EXPECT_EQ(run(Ask::find(1, "=", {"1"})), "rows 2: [1,ada]");
}

// Wants to be sent from its first row on.
class LongReply : public RecordingReply {
 public:
  bool should_stream() const override { return !streams; }
  void stream() override { streams = true; }
  bool streams = false;
};

TEST_F(FindTest, SendsALongReplyInPiecesUnlessASecondSearchMayFindOtherRows) {
  for (const Isolation level : {Isolation::kDefault, Isolation::kReadUncommitted,
                                Isolation::kReadCommitted, Isolation::kSerializable}) {
    ASSERT_TRUE(session->commit());
    ASSERT_TRUE(session->begin_transaction({level, true}));
    LongReply sent;
    const Ask ask = Ask::find(2, ">=", {"10"}, 9);
    plan_and_execute(context, ask.request(), client, *session, scratch, sent);
    EXPECT_EQ(sent.take(), "rows 2: [1,10] [2,20] [3,20] [5,30]");
    EXPECT_EQ(sent.streams, level != Isolation::kReadUncommitted);
    session->rollback();
  }
}

TEST_F(FindTest, WorksOnBothPorts) {
  use(engine::Mode::kReadOnly);
  EXPECT_EQ(run(Ask::find(1, "=", {"2"})), "rows 2: [2,bob]");
}

TEST_F(FindTest, FollowsATableThatWasReplaced) {
  fake.create_table("test.user(name text, id int; PRIMARY(id))");
  ASSERT_TRUE(fake.add_row("test", "user", {"new", "2"}));
  EXPECT_EQ(run(Ask::find(1, "=", {"2"})), "error fld");
  EXPECT_EQ(run(Ask::find(2, "=", {"2"})), "error idxnum");
  ASSERT_EQ(run(Ask::open(1, "user", "", "id,name")), "ok");
  EXPECT_EQ(run(Ask::find(1, "=", {"2"})), "rows 2: [2,new]");
  fake.drop_table("test", "user");
  EXPECT_EQ(run(Ask::find(1, "=", {"2"})), "error open_table");
}

}  // namespace
}  // namespace hs::exec
