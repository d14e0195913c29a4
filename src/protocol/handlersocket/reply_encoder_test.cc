#include "protocol/handlersocket/reply_encoder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hs::protocol::handlersocket {
namespace {

using namespace std::string_literals;

class Reply : public ::testing::Test {
 protected:
  Reply() { encoder_.set_target(target_); }

  std::string sent() const { return std::string(target_.view()); }
  bool row(std::vector<Value> values) { return encoder_.row(values); }

  Buffer target_;
  ReplyEncoder encoder_{1000};
};

TEST_F(Reply, OfOk) {
  encoder_.ok();
  EXPECT_EQ(sent(), "0\t1\n");
}

TEST_F(Reply, OfACount) {
  encoder_.count(0);
  encoder_.count(7);
  encoder_.count(UINT64_MAX);
  EXPECT_EQ(sent(), "0\t1\t0\n0\t1\t7\n0\t1\t18446744073709551615\n");
}

TEST_F(Reply, OfNoRowsTellsTheColumns) {
  encoder_.begin_rows(2);
  encoder_.end_rows();
  EXPECT_EQ(sent(), "0\t2\n");
}

TEST_F(Reply, OfRowsIsTheirValuesOneAfterAnother) {
  encoder_.begin_rows(2);
  EXPECT_TRUE(row({Value::of("1"), Value::of("a\nb")}));
  EXPECT_TRUE(row({Value::null(), Value::of("")}));
  encoder_.end_rows();
  EXPECT_EQ(sent(), "0\t2\t1\ta\x01Jb\t\0\t\n"s);
}

TEST_F(Reply, OfRowsWithoutColumnsShowsNoRows) {
  encoder_.begin_rows(0);
  EXPECT_TRUE(row({}));
  EXPECT_TRUE(row({}));
  encoder_.end_rows();
  EXPECT_EQ(sent(), "0\t0\n");
}

TEST_F(Reply, OfEveryErrorIsItsCodeAndText) {
  for (size_t i = 0; i < error_count(); ++i) {
    const auto code = static_cast<ErrorCode>(i);
    if (code == ErrorCode::kEngine || code == ErrorCode::kSql) continue;
    Buffer target;
    encoder_.set_target(target);
    encoder_.error({code, 0, {}});
    EXPECT_EQ(target.view(),
              std::to_string(wire_code(code)) + "\t1\t" + std::string(wire_text(code)) + "\n")
        << error_name(code);
    EXPECT_NE(wire_text(code), "") << error_name(code);
  }
}

TEST_F(Reply, OfAnEngineErrorIsItsNumber) {
  encoder_.error(Error::engine(121));
  EXPECT_EQ(sent(), "1\t1\t121\n");
}

TEST_F(Reply, OfAnSqlErrorStaysOneLineOfThreeTokens) {
  encoder_.error(Error::sql(1366, "Incorrect value: 'a\tb\n'"));
  EXPECT_EQ(sent(), "1\t1\tsql_1366 Incorrect value: 'a?b?'\n");
}

TEST_F(Reply, AnErrorTakesTheRowsBackButNotTheRepliesBefore) {
  encoder_.ok();
  encoder_.begin_rows(1);
  EXPECT_TRUE(row({Value::of("x")}));
  encoder_.error({ErrorCode::kLockTables, 0, {}});
  encoder_.error(Error::engine(149));
  encoder_.count(3);
  EXPECT_EQ(sent(), "0\t1\n1\t1\tlock_tables\n1\t1\t149\n0\t1\t3\n");
}

TEST_F(Reply, TakesRowsBackAlsoWhenEarlierRepliesWereSentAlready) {
  encoder_.ok();
  encoder_.count(1);
  target_.consume(4);
  encoder_.begin_rows(1);
  EXPECT_TRUE(row({Value::of("x")}));
  encoder_.error(Error::engine(146));
  EXPECT_EQ(sent(), "0\t1\t1\n1\t1\t146\n");
}

TEST_F(Reply, AtTheLimitIsGivenAndOnePastIsRefused) {
  const size_t head = "0\t1\t"s.size();
  encoder_.begin_rows(1);
  EXPECT_TRUE(row({Value::of(std::string(1000 - head, 'x'))}));
  encoder_.end_rows();
  EXPECT_EQ(target_.size(), 1001u);

  encoder_.begin_rows(1);
  EXPECT_FALSE(row({Value::of(std::string(1001 - head, 'x'))}));
  encoder_.error({ErrorCode::kReplyTooLong, 0, {}});
  EXPECT_EQ(sent().substr(1001), "2\t1\treply_too_long\n");
}

TEST_F(Reply, TheLimitCountsEscapedBytesAndEveryRow) {
  encoder_.begin_rows(1);
  EXPECT_FALSE(row({Value::of(std::string(600, '\n'))}));
  encoder_.error({ErrorCode::kReplyTooLong, 0, {}});
  encoder_.begin_rows(1);
  EXPECT_TRUE(row({Value::of(std::string(600, 'x'))}));
  EXPECT_FALSE(row({Value::of(std::string(600, 'x'))}));
  encoder_.error({ErrorCode::kReplyTooLong, 0, {}});
  EXPECT_EQ(sent(), "2\t1\treply_too_long\n2\t1\treply_too_long\n");
}

TEST_F(Reply, AGiantValueIsRefusedBeforeItIsCopied) {
  encoder_.begin_rows(1);
  const std::string giant(10u << 20, 'x');
  EXPECT_FALSE(row({Value::of(giant)}));
  EXPECT_LT(target_.capacity(), 4096u);
}

}  // namespace
}  // namespace hs::protocol::handlersocket
