#include "protocol/handlersocket/reply_encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "protocol/handlersocket/error_text.h"

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

TEST_F(Reply, OfRowsHasRoomForItsEndAtAnyTime) {
  for (size_t size = 0; size < 6000; size += 7) {
    Buffer target;
    ReplyEncoder encoder(100'000);
    encoder.set_target(target);
    encoder.begin_rows(1);
    EXPECT_GE(target.writable(), 1u);
    const std::string value(size, 'v');
    const Value values[] = {Value::of(value)};
    EXPECT_TRUE(encoder.row(values));
    EXPECT_GE(target.writable(), 1u);
  }
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

// A client that takes `takes` bytes of the target at a time, and nothing once it has gone.
class Taker final : public ReplyStream {
 public:
  explicit Taker(Buffer& target) : target_(target) {}
  bool may_stream() const override { return may; }
  void begin() override { ++begun; }
  bool send() override {
    const size_t size = std::min(takes, target_.size());
    taken.append(target_.view().substr(0, size));
    target_.consume(size);
    return !gone;
  }
  void fail() override { ++failed; }

  bool may = true;
  bool gone = false;
  size_t takes = SIZE_MAX;
  std::string taken;
  int begun = 0;
  int failed = 0;

 private:
  Buffer& target_;
};

class StreamedReply : public ::testing::Test {
 protected:
  static constexpr size_t kLimit = 3u << 20;

  StreamedReply() {
    encoder_.set_target(target_);
    encoder_.begin_rows(1);
    encoder_.end_rows();  // an earlier reply, still in the target
    expected_ = "0\t1\n";
  }
  bool row() {
    expected_ += "\t" + value_;
    return encoder_.row(std::vector<Value>{Value::of(value_)});
  }
  void begin_and_stream() {
    encoder_.begin_rows(1);
    expected_ += "0\t1";
    while (!encoder_.should_stream()) ASSERT_TRUE(row());
    encoder_.stream();
  }

  Buffer target_;
  Taker taker_{target_};
  ReplyEncoder encoder_{kLimit, &taker_};
  const std::string value_ = std::string(10'000, 'x');
  std::string expected_;
};

TEST_F(StreamedReply, IsTheSameBytesWhateverTheClientTakes) {
  for (size_t takes : {size_t{1}, size_t{3}, size_t{50'000}, SIZE_MAX}) {
    taker_.takes = takes;
    begin_and_stream();
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(row());
    encoder_.end_rows();
    expected_ += "\n";
  }
  EXPECT_EQ(taker_.begun, 4);
  EXPECT_EQ(taker_.failed, 0);
  EXPECT_EQ(taker_.taken + std::string(target_.view()), expected_);
}

TEST_F(StreamedReply, KeepsItsLimitWhateverWasSent) {
  begin_and_stream();
  while (row()) {
  }
  encoder_.error({ErrorCode::kReplyTooLong, 0, {}});
  EXPECT_EQ(taker_.failed, 1);
  EXPECT_GT(expected_.size(), kLimit);
  EXPECT_LT(expected_.size(), kLimit + 20'000);
}

TEST_F(StreamedReply, BecomesAnErrorAsLongAsNothingOfItWasSent) {
  taker_.takes = expected_.size();  // the earlier reply
  begin_and_stream();
  ASSERT_TRUE(row());
  encoder_.error({ErrorCode::kReplyTooLong, 0, {}});
  EXPECT_EQ(taker_.failed, 0);
  EXPECT_EQ(taker_.taken, "0\t1\n");
  EXPECT_EQ(target_.view(), "2\t1\treply_too_long\n");
}

TEST_F(StreamedReply, EndsWhenTheClientHasGone) {
  begin_and_stream();
  taker_.gone = true;
  EXPECT_FALSE(row());
  encoder_.error({ErrorCode::kReplyTooLong, 0, {}});
  EXPECT_EQ(taker_.failed, 1);
}

TEST_F(StreamedReply, IsNoneWhileItMayNotBe) {
  taker_.may = false;
  encoder_.begin_rows(1);
  while (row()) EXPECT_FALSE(encoder_.should_stream());
  encoder_.error({ErrorCode::kReplyTooLong, 0, {}});
  EXPECT_EQ(target_.view(), "0\t1\n2\t1\treply_too_long\n");
}

TEST_F(StreamedReply, IsMeasuredAsItIsWritten) {
  const std::string odd = "a\tb" + std::string(1, '\0') + std::string(100, '\x0f') + "z";
  for (const Value& value : {Value::of(odd), Value::null(), Value::of("")}) {
    Buffer buffer;
    ReplyEncoder exact(kLimit);
    exact.set_target(buffer);
    exact.begin_rows(1);
    const std::vector<Value> row(1000, value);
    ASSERT_TRUE(exact.row(row));
    Buffer unused;
    for (bool fits : {true, false}) {
      ReplyEncoder limited(buffer.size() - !fits);
      limited.set_target(unused);
      limited.begin_rows(1);
      EXPECT_EQ(limited.measure(row), fits);
    }
  }
}

}  // namespace
}  // namespace hs::protocol::handlersocket
