// What each protocol sends, and which answers count as right.
#include "dialect.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hs_dialect.h"
#include "memcached_dialect.h"
#include "redis_dialect.h"

namespace hs::bench {
namespace {

const std::string kRow7 = "user name 7\tuser7@example.com\t2010-02-03 11:22:33";
const std::string kRow8 = "user name 8\tuser8@example.com\t2010-02-03 11:22:33";
const std::string kNew7 = "user name 7\tuser7+1000@example.com\t2010-02-03 11:22:33";

// Requests of one kind for the keys 7, 8 …
template <typename DialectType>
class Try {
 public:
  explicit Try(Kind kind, uint32_t count = 1) : dialect(workload) {
    workload.kind = kind;
    workload.keys = Keys::sequential(7, 1000);
    workload.count = count;
    workload.first_update = 1000;
  }

  std::string request() {
    std::string output;
    dialect.encode(workload.request(0), &output);
    return output;
  }

  // Whether the answer is right. Expects that it is one complete answer.
  bool accepts(const std::string& answer) {
    for (size_t size = 0; size < answer.size(); ++size) {
      EXPECT_EQ(settle(answer.substr(0, size)).answers(), 0u) << size;
    }
    EXPECT_EQ(settle(answer + answer + answer.substr(0, 1)).answers(), 2u);
    const Tally tally = settle(answer);
    EXPECT_EQ(tally.answers(), 1u) << answer;
    EXPECT_EQ(tally.rows, tally.errors > 0 ? 0 : workload.row_count(workload.request(0)));
    return tally.errors == 0;
  }

  Tally settle(const std::string& input) {
    InFlight in_flight(3);
    for (int i = 0; i < 3; ++i) in_flight.push({workload.request(0), {}});
    Tally tally;
    dialect.settle(input, Clock::now(), &in_flight, &tally);
    return tally;
  }

  Workload workload;
  DialectType dialect;
};

using Hs = Try<HsDialect>;
using Memcached = Try<MemcachedDialect>;
using Redis = Try<RedisDialect>;

TEST(HsDialectTest, Finds) {
  Hs find(Kind::kFind);
  EXPECT_EQ(find.request(), "1\t=\t1\t7\n");
  EXPECT_TRUE(find.accepts("0\t3\t" + kRow7 + "\n"));
  EXPECT_FALSE(find.accepts("0\t3\t" + kRow8 + "\n"));
  EXPECT_FALSE(find.accepts("0\t3\t" + kRow7 + "\tx\n"));
  EXPECT_FALSE(find.accepts("0\t3\n"));
  EXPECT_FALSE(find.accepts("2\t1\tcmd\n"));
}

TEST(HsDialectTest, FindsManyKeysAndRanges) {
  Hs in(Kind::kIn, 2);
  EXPECT_EQ(in.request(), "1\t=\t1\t7\t2\t0\t@\t0\t2\t7\t8\n");
  EXPECT_TRUE(in.accepts("0\t3\t" + kRow7 + "\t" + kRow8 + "\n"));
  EXPECT_FALSE(in.accepts("0\t3\t" + kRow8 + "\t" + kRow7 + "\n"));
  EXPECT_FALSE(in.accepts("0\t3\t" + kRow7 + "\n"));
  Hs range(Kind::kRange, 2);
  EXPECT_EQ(range.request(), "1\t>=\t1\t7\t2\n");
  EXPECT_TRUE(range.accepts("0\t3\t" + kRow7 + "\t" + kRow8 + "\n"));
}

TEST(HsDialectTest, Counts) {
  Hs count(Kind::kCount, 1000);
  EXPECT_EQ(count.request(), "1\t>=\t1\t7\t1000\t0\tC\n");
  EXPECT_TRUE(count.accepts("0\t1\t1000\n"));
  EXPECT_FALSE(count.accepts("0\t1\t999\n"));
  EXPECT_FALSE(count.accepts("1\t1\topen_table\n"));
}

TEST(HsDialectTest, Writes) {
  Hs insert(Kind::kInsert);
  EXPECT_EQ(insert.request(), "3\t+\t4\t7\t" + kRow7 + "\n");
  EXPECT_TRUE(insert.accepts("0\t1\n"));
  EXPECT_FALSE(insert.accepts("1\t1\t121\n"));
  Hs update(Kind::kUpdate);
  EXPECT_EQ(update.request(), "2\t=\t1\t7\t1\t0\tU\tuser7+1000@example.com\n");
  EXPECT_TRUE(update.accepts("0\t1\t1\n"));
  EXPECT_FALSE(update.accepts("0\t1\t0\n"));
  Hs upsert(Kind::kUpsert);
  EXPECT_EQ(upsert.request(),
            "3\t+U\t4\t7\tuser name 7\tuser7+1000@example.com\t2010-02-03 11:22:33\n");
  EXPECT_TRUE(upsert.accepts("0\t1\t1\n"));
  EXPECT_TRUE(upsert.accepts("0\t1\t2\n"));
  EXPECT_FALSE(upsert.accepts("0\t1\t0\n"));
}

// A server that gives the answers in turn, and keeps what it was asked.
class Server : public Dialogue {
 public:
  explicit Server(std::vector<std::string> answers) : answers_(std::move(answers)) {}

  std::string ask(std::string_view request) override {
    asked += request;
    return next_ < answers_.size() ? answers_[next_++] : "0\t1";
  }

  std::string asked;

 private:
  const std::vector<std::string> answers_;
  size_t next_ = 0;
};

std::string opening(const HsDialect& dialect) {
  Server server({});
  dialect.open(server);
  return server.asked;
}

TEST(HsDialectTest, SendsATransactionInOnePiece) {
  Hs transaction(Kind::kTransaction);
  transaction.workload.email.may_be_updated = true;
  EXPECT_EQ(transaction.request(),
            "T\tB\n1\t=\t1\t7\n1\t=\t1\t8\n2\t=\t1\t7\t1\t0\tU\tuser7+1000@example.com\nT\tC\n");
  const std::string finds = "0\t3\t" + kNew7 + "\n0\t3\t" + kRow8 + "\n";
  EXPECT_TRUE(transaction.accepts("0\t1\n" + finds + "0\t1\t1\n0\t1\n"));
  EXPECT_FALSE(transaction.accepts("0\t1\n" + finds + "0\t1\t0\n0\t1\n"));
  EXPECT_FALSE(transaction.accepts("0\t1\n" + finds + "0\t1\t1\n1\t1\ttransaction_lost\n"));
  EXPECT_FALSE(transaction.accepts("1\t1\tx\n" + finds + "0\t1\t1\n0\t1\n"));
}

TEST(HsDialectTest, OpensWhatTheWorkloadNeeds) {
  Hs find(Kind::kFind);
  EXPECT_EQ(opening(find.dialect), "P\t1\ttest\tuser\tPRIMARY\tuser_name,user_email,created\n");
  find.workload.writes = 0.5;
  find.workload.table = "other";
  EXPECT_EQ(opening(find.dialect),
            "P\t1\ttest\tother\tPRIMARY\tuser_name,user_email,created\n"
            "P\t2\ttest\tother\tPRIMARY\tuser_email\n");
  EXPECT_EQ(opening(Hs(Kind::kUpdate).dialect), "P\t2\ttest\tuser\tPRIMARY\tuser_email\n");
  EXPECT_EQ(opening(Hs(Kind::kInsert).dialect),
            "P\t3\ttest\tuser\tPRIMARY\tuser_id,user_name,user_email,created\n");
  Server server({"1\t1\topen_table"});
  EXPECT_THROW(find.dialect.open(server), Failure);
}

const std::string kChallenge =
    "0\t2\tmysql_native_password\t000102030405060708090a0b0c0d0e0f10111213";

TEST(HsDialectTest, LogsInBeforeItOpens) {
  Workload workload;
  workload.kind = Kind::kUpdate;
  Server server({kChallenge});
  HsDialect(workload, {"a\tb", "secret"}).open(server);
  EXPECT_EQ(server.asked,
            "A\t2\ta\1Ib\n"
            "A\t3\t21b3ff405f32cbe4aafff291396046ea29fa3a4d\n"
            "P\t2\ttest\tuser\tPRIMARY\tuser_email\n");
  Server without({kChallenge});
  HsDialect(workload, {"a", ""}).open(without);
  EXPECT_TRUE(without.asked.starts_with("A\t2\ta\nA\t3\t\nP\t")) << without.asked;
}

TEST(HsDialectTest, ALoginThatDoesNotSucceedIsAFailure) {
  const std::vector<std::vector<std::string>> refused = {
      {"3\t1\tunauth"}, {"0\t2\ted25519\t00"}, {kChallenge, "3\t1\tunauth"}, {kChallenge + "0"}};
  for (const auto& answers : refused) {
    Workload workload;
    Server server(answers);
    EXPECT_THROW(HsDialect(workload, {"a", "b"}).open(server), Failure) << answers.back();
  }
}

TEST(MemcachedDialectTest, Finds) {
  Memcached find(Kind::kFind);
  EXPECT_EQ(find.request(), "get user:7\r\n");
  EXPECT_TRUE(find.accepts("VALUE user:7 0 49\r\n" + kRow7 + "\r\nEND\r\n"));
  EXPECT_FALSE(find.accepts("VALUE user:7 1 49\r\n" + kRow7 + "\r\nEND\r\n"));
  EXPECT_FALSE(find.accepts("VALUE user:8 0 49\r\n" + kRow7 + "\r\nEND\r\n"));
  EXPECT_FALSE(find.accepts("VALUE user:7 0 49\r\n" + kRow8 + "\r\nEND\r\n"));
  EXPECT_FALSE(find.accepts("VALUE user:7 0 50\r\n" + kRow7 + "x\r\nEND\r\n"));
  EXPECT_FALSE(find.accepts("VALUE user:7 0 4\r\n\r\n\r\n\r\nEND\r\n"));
  EXPECT_FALSE(find.accepts("END\r\n"));
  EXPECT_FALSE(find.accepts("SERVER_ERROR out of memory\r\n"));
}

TEST(MemcachedDialectTest, FindsManyKeys) {
  Memcached in(Kind::kIn, 2);
  EXPECT_EQ(in.request(), "get user:7 user:8\r\n");
  const std::string first = "VALUE user:7 0 49\r\n" + kRow7 + "\r\n";
  const std::string second = "VALUE user:8 0 49\r\n" + kRow8 + "\r\n";
  EXPECT_TRUE(in.accepts(first + second + "END\r\n"));
  EXPECT_FALSE(in.accepts(second + first + "END\r\n"));
  EXPECT_FALSE(in.accepts(first + "END\r\n"));
}

TEST(MemcachedDialectTest, Writes) {
  Memcached insert(Kind::kInsert);
  EXPECT_EQ(insert.request(), "add user:7 0 0 49\r\n" + kRow7 + "\r\n");
  EXPECT_TRUE(insert.accepts("STORED\r\n"));
  EXPECT_FALSE(insert.accepts("NOT_STORED\r\n"));
  insert.workload.overwrite = true;
  EXPECT_EQ(insert.request(), "set user:7 0 0 49\r\n" + kRow7 + "\r\n");
  EXPECT_EQ(Memcached(Kind::kUpdate).request(), "set user:7 0 0 54\r\n" + kNew7 + "\r\n");
}

TEST(RedisDialectTest, Finds) {
  Redis find(Kind::kFind);
  EXPECT_EQ(find.request(), "*2\r\n$3\r\nGET\r\n$6\r\nuser:7\r\n");
  EXPECT_TRUE(find.accepts("$49\r\n" + kRow7 + "\r\n"));
  EXPECT_FALSE(find.accepts("$49\r\n" + kRow8 + "\r\n"));
  EXPECT_FALSE(find.accepts("$50\r\n" + kRow7 + "x\r\n"));
  EXPECT_FALSE(find.accepts("$0\r\n\r\n"));
  EXPECT_FALSE(find.accepts("$-1\r\n"));
  EXPECT_FALSE(find.accepts("-ERR unknown command\r\n"));
}

TEST(RedisDialectTest, FindsManyKeys) {
  Redis in(Kind::kIn, 2);
  EXPECT_EQ(in.request(), "*3\r\n$4\r\nMGET\r\n$6\r\nuser:7\r\n$6\r\nuser:8\r\n");
  const std::string first = "$49\r\n" + kRow7 + "\r\n";
  const std::string second = "$49\r\n" + kRow8 + "\r\n";
  EXPECT_TRUE(in.accepts("*2\r\n" + first + second));
  EXPECT_FALSE(in.accepts("*2\r\n" + second + first));
  EXPECT_FALSE(in.accepts("*2\r\n" + first + "$-1\r\n"));
  EXPECT_FALSE(in.accepts("*1\r\n" + first));
  EXPECT_FALSE(in.accepts("*3\r\n" + first + second + second));
  EXPECT_FALSE(in.accepts("*0\r\n"));
  EXPECT_FALSE(in.accepts("-ERR wrong number of arguments\r\n"));
}

TEST(RedisDialectTest, Writes) {
  Redis insert(Kind::kInsert);
  const std::string set = "\r\n$3\r\nSET\r\n$6\r\nuser:7\r\n$49\r\n" + kRow7 + "\r\n";
  EXPECT_EQ(insert.request(), "*4" + set + "$2\r\nNX\r\n");
  EXPECT_TRUE(insert.accepts("+OK\r\n"));
  EXPECT_FALSE(insert.accepts("$-1\r\n"));
  insert.workload.overwrite = true;
  EXPECT_EQ(insert.request(), "*3" + set);
  EXPECT_EQ(Redis(Kind::kUpdate).request(),
            "*3\r\n$3\r\nSET\r\n$6\r\nuser:7\r\n$54\r\n" + kNew7 + "\r\n");
}

TEST(DialectTest, AnAnswerToNoRequestIsAFailure) {
  Hs find(Kind::kFind);
  EXPECT_THROW(find.settle("\n\n\n\n"), Failure);
}

}  // namespace
}  // namespace hs::bench
