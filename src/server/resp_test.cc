// Commands of several requests in a batch: the protocol of Redis on the fake engine.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "protocol/resp/codec.h"
#include "testing/fixtures/batch_fixture.h"
#include "testing/fixtures/keyed_batch.h"

namespace hs::server {
namespace {

using protocol::resp::resp_protocol;

constexpr const char* kHashTables[] = {
    "d.kv(k text, v text null; PRIMARY(k)) hs: name=kv",
    "d.n(k text, v int null; PRIMARY(k)) hs: name=n value=v",
    "d.e(k text, v text null, n int null, e int null expires; PRIMARY(k)) hs: name=e value=v ttl=e",
};

class RespTest : public ::testing::Test, protected KeyedBatch {
 protected:
  RespTest() : KeyedBatch(resp_protocol(), kHashTables) {}

  static std::string message(const std::vector<std::string>& arguments) {
    std::string text = "*" + std::to_string(arguments.size()) + "\r\n";
    for (const std::string& one : arguments) {
      text += "$" + std::to_string(one.size()) + "\r\n" + one + "\r\n";
    }
    return text;
  }
  static std::string words(std::string_view line) {
    std::vector<std::string> arguments;
    while (!line.empty()) {
      const size_t end = std::min(line.find(' '), line.size());
      arguments.emplace_back(line.substr(0, end));
      line.remove_prefix(std::min(line.size(), end + 1));
    }
    return message(arguments);
  }

  static void send(Peer& peer, std::string_view line) { send_bytes(peer, words(line)); }
  std::string ask(std::string_view line) { return ask_bytes(words(line)); }
};

TEST_F(RespTest, ACommandFindsTheTableOfItsKeyAndKnowsItFromThenOn) {
  EXPECT_EQ(ask("SET kv:a 1"), "+OK\r\n");
  EXPECT_EQ(ask("GET kv:a"), "$1\r\n1\r\n");
  EXPECT_EQ(ask("GET kv:b"), "$-1\r\n");
  EXPECT_EQ(ask("GET nothing:a"), "$-1\r\n");
  EXPECT_EQ(ask("GET a"), "$-1\r\n");
  EXPECT_EQ(ask("SET nothing:a 1"), "-ERR no table has the key 'nothing:a'\r\n");
  EXPECT_EQ(rows("kv"), (Rows{"a,1"}));
}

TEST_F(RespTest, MessagesAreTheSameWhereverTheyAreCut) {
  ask("SET kv:a 1");
  const std::string messages = words("MGET kv:a kv:b kv:a") + "GET kv:a\r\n" + words("EXISTS kv:a");
  for (size_t cut = 0; cut <= messages.size(); ++cut) {
    first_.input().append(messages.substr(0, cut));
    run({&first_});
    first_.input().append(messages.substr(cut));
    run({&first_});
    EXPECT_EQ(take(first_), "*3\r\n$1\r\n1\r\n$-1\r\n$1\r\n1\r\n$1\r\n1\r\n:1\r\n") << cut;
  }
}

TEST_F(RespTest, CommandsOfManyClientsShareACommit) {
  ask("SET kv:a 1");
  ask("SET n:a 1");
  const uint64_t before = counters_.commits.get();
  send(second_, "PING");
  run({&second_});
  send(second_, "GET kv:a");
  run({&second_});
  take(second_);
  send(first_, "SET kv:a 2");
  send(first_, "PING");
  send(first_, "MSET kv:b 2 n:b 3");
  send(second_, "GET kv:b");
  run({&first_, &second_});
  EXPECT_EQ(take(first_), "+OK\r\n+PONG\r\n+OK\r\n");
  EXPECT_EQ(take(second_), "$1\r\n2\r\n");
  EXPECT_EQ(counters_.commits.get() - before, 1u);
}

TEST_F(RespTest, ACommandThatFailsInTheMiddleChangesNothingAndOthersStay) {
  ask("MSET kv:x 0 n:x 0");
  send(second_, "GET kv:x");
  run({&second_});
  take(second_);
  send(second_, "SET kv:c 1");
  send(first_, "MSET kv:a 1 n:a x kv:b 1");
  send(first_, "SET kv:d 1");
  run({&second_, &first_});
  EXPECT_EQ(take(second_), "+OK\r\n");
  EXPECT_EQ(take(first_),
            "-ERR SQL error 1366: Incorrect integer value: 'x' for column 'v' at row 1\r\n+OK\r\n");
  EXPECT_EQ(rows("kv"), (Rows{"x,0", "c,1", "d,1"}));
}

TEST_F(RespTest, ADeadlockExecutesAllOfACommandAgain) {
  ask("MSET kv:a 0 n:a 0");
  faulty_.lose_transaction(testing::Call::kInsert, 2);
  EXPECT_EQ(ask("MSET kv:a 1 n:a 1 kv:b 1"), "+OK\r\n");
  EXPECT_EQ(rows("kv"), (Rows{"a,1", "b,1"}));
  EXPECT_EQ(rows("n"), (Rows{"a,1"}));
}

TEST_F(RespTest, ManyDeadlocksAreNothingThatAClientIsToldOf) {
  ask("SET kv:a 0");
  for (uint64_t i = 1; i <= 20; ++i) faulty_.lose_transaction(testing::Call::kInsert, i);
  EXPECT_EQ(ask("MSET kv:a 1 kv:b 1"), "+OK\r\n");
  EXPECT_EQ(rows("kv"), (Rows{"a,1", "b,1"}));
}

TEST_F(RespTest, ALockInTheMiddleOfACommandIsWaitedForWithAllOfIt) {
  ask("MSET kv:a 0 n:a 0");
  faulty_.lock_row(testing::Call::kInsert, 2);
  EXPECT_EQ(ask("MSET kv:a 1 n:a 1 kv:b 1"), "+OK\r\n");
  EXPECT_EQ(rows("kv"), (Rows{"a,1", "b,1"}));
  EXPECT_EQ(rows("n"), (Rows{"a,1"}));
}

TEST_F(RespTest, ACommitThatFailsIsTheReplyOfEachCommand) {
  ask("SET kv:a 0");
  ask("MGET kv:a");
  faulty_.fail(testing::Call::kCommit, 1, Error::engine(1));
  send(first_, "SET kv:a 1");
  send(first_, "MGET kv:a kv:b");
  send(first_, "MULTI");
  send(first_, "SET kv:a 2");
  send(first_, "EXEC");
  run({&first_});
  const std::string error = "-ERR the storage engine's error 1\r\n";
  EXPECT_EQ(take(first_), error + error +
                              "+OK\r\n+QUEUED\r\n-EXECABORT Transaction discarded because of: ERR "
                              "the storage engine's error 1\r\n");
  EXPECT_EQ(rows("kv"), (Rows{"a,0"}));
}

TEST_F(RespTest, KeysOfOneTableThatFollowEachOtherAreOneRequestOfTheDatabase) {
  ask("MSET kv:a 1 kv:c 3 n:a 7");
  ask("MGET kv:a n:a");
  const auto requests = [this](std::string_view line, const std::string& reply) {
    const uint64_t before = faulty_.calls(testing::Call::kBeginRequest);
    EXPECT_EQ(ask(line), reply);
    return faulty_.calls(testing::Call::kBeginRequest) - before;
  };
  EXPECT_EQ(requests("MGET kv:c kv:b kv:a kv:c", "*4\r\n$1\r\n3\r\n$-1\r\n$1\r\n1\r\n$1\r\n3\r\n"),
            1u);
  EXPECT_EQ(requests("MGET kv:a none:a kv:c", "*3\r\n$1\r\n1\r\n$-1\r\n$1\r\n3\r\n"), 1u);
  EXPECT_EQ(requests("MGET kv:a n:a n:b kv:c", "*4\r\n$1\r\n1\r\n$1\r\n7\r\n$-1\r\n$1\r\n3\r\n"),
            3u);
  EXPECT_EQ(requests("EXISTS kv:a kv:b kv:a", ":2\r\n"), 1u);
}

TEST_F(RespTest, AnErrorAtOneOfSeveralKeysIsTheReplyOfTheCommand) {
  ask("MSET kv:a 1 kv:b 2");
  ask("MGET kv:a");
  for (const testing::Call call : {testing::Call::kSeek, testing::Call::kRow}) {
    faulty_.fail(call, 2, Error::engine(5));
    send(first_, "MGET kv:a kv:b");
    EXPECT_EQ(ask("GET kv:b"), "-ERR the storage engine's error 5\r\n$1\r\n2\r\n");
  }
  for (const testing::Call call : {testing::Call::kBeginRequest, testing::Call::kEndRequest}) {
    faulty_.fail(call, 1, Error::engine(6));
    send(first_, "MGET kv:a kv:b");
    EXPECT_EQ(ask("GET kv:b"), "-ERR the storage engine's error 6\r\n$1\r\n2\r\n");
  }
}

TEST_F(RespTest, ALookupBehindAnotherRequestAsksForNothingButItsRow) {
  ask("MSET n:a 1 n:b 2 kv:a 5");
  for (const char* line : {"MULTI", "TTL n:b", "GET n:a", "INCR n:a", "GET n:a", "SET n:c 9",
                           "GET n:b", "DEL n:c", "MGET n:c n:a kv:a", "EXEC"}) {
    send(first_, line);
  }
  run({&first_});
  const std::string reply = take(first_);
  EXPECT_EQ(
      reply.substr(reply.find('*')),
      "*8\r\n:-1\r\n$1\r\n1\r\n:2\r\n$1\r\n2\r\n+OK\r\n$1\r\n2\r\n:1\r\n*3\r\n$-1\r\n$1\r\n2\r\n"
      "$1\r\n5\r\n");
}

TEST_F(RespTest, ATableThatChangesIsLookedUpAgain) {
  ask("SET kv:a 1");
  EXPECT_EQ(ask("HGETALL kv:a"), "*4\r\n$1\r\nk\r\n$1\r\na\r\n$1\r\nv\r\n$1\r\n1\r\n");
  fake_.create_table("d.kv(k text, w text null; PRIMARY(k)) hs: name=kv");
  EXPECT_EQ(ask("HGETALL kv:a"), "*0\r\n");
  EXPECT_EQ(ask("SET kv:a 2"), "+OK\r\n");
  EXPECT_EQ(ask("HGETALL kv:a"), "*4\r\n$1\r\nk\r\n$1\r\na\r\n$1\r\nw\r\n$1\r\n2\r\n");
  fake_.drop_table("d", "kv");
  EXPECT_EQ(ask("GET kv:a"), "$-1\r\n");
}

TEST_F(RespTest, ATransactionIsExecutedAtExec) {
  EXPECT_EQ(ask("MULTI"), "+OK\r\n");
  EXPECT_EQ(ask("MULTI"), "-ERR MULTI calls can not be nested\r\n");
  EXPECT_EQ(ask("SET kv:a 1"), "+QUEUED\r\n");
  EXPECT_EQ(ask("INCR n:a"), "+QUEUED\r\n");
  EXPECT_EQ(ask("GET kv:a"), "+QUEUED\r\n");
  EXPECT_EQ(rows("kv"), Rows{});
  EXPECT_EQ(ask("EXEC"), "*3\r\n+OK\r\n:1\r\n$1\r\n1\r\n");
  EXPECT_EQ(ask("EXEC"), "-ERR EXEC without MULTI\r\n");
  EXPECT_EQ(rows("n"), (Rows{"a,1"}));
}

TEST_F(RespTest, ATransactionWithAWrongCommandIsNotExecuted) {
  ask("MULTI");
  EXPECT_EQ(ask("SET kv:a"), "-ERR wrong number of arguments for 'set' command\r\n");
  EXPECT_EQ(ask("SET kv:a 1"), "+QUEUED\r\n");
  EXPECT_EQ(ask("EXEC"), "-EXECABORT Transaction discarded because of previous errors.\r\n");
  EXPECT_EQ(rows("kv"), Rows{});
  ask("MULTI");
  ask("SET kv:a 1");
  EXPECT_EQ(ask("DISCARD"), "+OK\r\n");
  EXPECT_EQ(ask("DISCARD"), "-ERR DISCARD without MULTI\r\n");
  EXPECT_EQ(rows("kv"), Rows{});
}

TEST_F(RespTest, ATransactionInOneMessageAnswersAsCommandByCommand) {
  for (const char* line : {"MULTI", "SET kv:a 1", "INCR kv:a", "GET kv:a", "EXEC"}) {
    send(first_, line);
  }
  run({&first_});
  EXPECT_EQ(take(first_), "+OK\r\n+QUEUED\r\n+QUEUED\r\n+QUEUED\r\n*3\r\n+OK\r\n:2\r\n$1\r\n2\r\n");
  for (const char* line : {"MULTI", "SET kv:a", "GET kv:a", "EXEC"}) send(first_, line);
  run({&first_});
  EXPECT_EQ(take(first_),
            "+OK\r\n-ERR wrong number of arguments for 'set' command\r\n+QUEUED\r\n"
            "-EXECABORT Transaction discarded because of previous errors.\r\n");
}

TEST_F(RespTest, AKeyOfNoTableIsToldAtExecHoweverTheMessagesCome) {
  const std::string refusal = "-ERR no table has the key 'no:a'\r\n";
  const std::string answers = "+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n+OK\r\n" + refusal;
  for (const char* line : {"MULTI", "SET kv:a 1", "INCR no:a", "EXEC"}) send(first_, line);
  run({&first_});
  EXPECT_EQ(take(first_), answers);
  std::string alone;
  for (const char* line : {"MULTI", "SET kv:a 1", "INCR no:a", "EXEC"}) alone += ask(line);
  EXPECT_EQ(alone, answers);
}

TEST_F(RespTest, ABrowserIsTurnedAwayInTheMiddleOfATransactionToo) {
  for (const char* line : {"MULTI", "SET kv:a 1", "POST", "EXEC"}) send(first_, line);
  run({&first_});
  EXPECT_EQ(take(first_), "+OK\r\n+QUEUED\r\n");
  EXPECT_EQ(first_.ending, Peer::Ending::kForeign);
  EXPECT_EQ(rows("kv"), Rows{});
}

TEST_F(RespTest, OneCommandOfATransactionFailsAlone) {
  ask("SET kv:a x");
  ask("MULTI");
  ask("INCR kv:a");
  ask("SET kv:b 1");
  EXPECT_EQ(ask("EXEC"), "*2\r\n-ERR value is not an integer or out of range\r\n+OK\r\n");
  EXPECT_EQ(rows("kv"), (Rows{"a,x", "b,1"}));
}

TEST_F(RespTest, AWatchedRowThatChangedEndsTheTransaction) {
  ask("SET kv:a 1");
  for (const bool changes : {false, true}) {
    EXPECT_EQ(ask("WATCH kv:a kv:none"), "+OK\r\n");
    if (changes) {
      send(second_, "SET kv:a 2");
      run({&second_});
      EXPECT_EQ(take(second_), "+OK\r\n");
    }
    ask("MULTI");
    ask("SET kv:b 1");
    EXPECT_EQ(ask("EXEC"), changes ? "*-1\r\n" : "*1\r\n+OK\r\n");
    EXPECT_EQ(ask("DEL kv:b"), changes ? ":0\r\n" : ":1\r\n");
  }
}

TEST_F(RespTest, AServerThatIsReadOnlyIsToldFromALockedTable) {
  const std::string read_only = "-READONLY You can't write against a read only replica.\r\n";
  for (const Error& error : {Error::read_only_server(), Error::sql(1290, "--read-only")}) {
    faulty_.fail(testing::Call::kCommit, 1, Error(error));
    EXPECT_EQ(ask("SET kv:a 1"), read_only);
  }
  faulty_.fail(testing::Call::kCommit, 1, Error{ErrorCode::kLockTables, 0, {}});
  EXPECT_EQ(ask("SET kv:a 1"), "-TRYAGAIN the table could not be locked in time\r\n");
  // Another option forbids it.
  faulty_.fail(testing::Call::kCommit, 1, Error::sql(1290, "--max-session-mem-used=8192"));
  EXPECT_EQ(ask("SET kv:a 1"), "-ERR SQL error 1290: --max-session-mem-used=8192\r\n");
}

TEST_F(RespTest, ATransactionThatMeetsALockOrADeadlockIsExecutedAgain) {
  ask("SET kv:a 1");
  ask("SET kv:b 1");
  for (int attempt = 0; attempt < 2; ++attempt) {
    const std::string value = std::to_string(attempt + 2);
    ask("WATCH kv:a");
    ask("MULTI");
    ask("SET kv:a " + value);
    ask("SET kv:b " + value);
    attempt == 0 ? faulty_.lock_row(testing::Call::kInsert, 2)
                 : faulty_.lose_transaction(testing::Call::kInsert, 2);
    EXPECT_EQ(ask("EXEC"), "*2\r\n+OK\r\n+OK\r\n");
    EXPECT_EQ(rows("kv"), (Rows{"a," + value, "b," + value}));
    EXPECT_EQ(ask("EXEC"), "-ERR EXEC without MULTI\r\n");
  }
}

TEST_F(RespTest, ATransactionThatIsKilledDoesNothing) {
  ask("SET kv:a 1");
  ask("MULTI");
  ask("SET kv:a 2");
  ask("SET kv:b 2");
  ask("SET kv:c 2");
  faulty_.fail(testing::Call::kInsert, 2, Error{ErrorCode::kInterrupted, 0, {}});
  EXPECT_EQ(
      ask("EXEC"),
      "-EXECABORT Transaction discarded because of: ERR the command was killed; nothing of it "
      "was done\r\n");
  EXPECT_EQ(rows("kv"), (Rows{"a,1"}));
}

TEST_F(RespTest, TheServerKnowsWhatAClientCallsItself) {
  ask("CLIENT SETNAME mine");
  EXPECT_EQ(first_.client.name(), "mine");
  ask("HELLO 3 SETNAME other");
  EXPECT_EQ(first_.client.name(), "other");
  EXPECT_TRUE(first_.client.take_new_name());
  ask("CLIENT SETINFO LIB-NAME x");
  EXPECT_FALSE(first_.client.take_new_name());
  ask("RESET");
  EXPECT_EQ(first_.client.name(), "");
}

TEST_F(RespTest, ARowThatExpiresBetweenTwoRequestsOfACommandIsNotThere) {
  const std::string present = std::to_string(kNow + 10);
  const struct {
    const char *command, *reply;
    std::string row;
  } kCases[] = {
      {"APPEND e:a 12", ":2\r\n", "a,12,NULL,NULL"},
      {"INCRBY e:a 3", ":3\r\n", "a,3,NULL,NULL"},
      {"HINCRBY e:a n 3", ":3\r\n", "a,NULL,3,NULL"},
      {"HSET e:a v 7", ":1\r\n", "a,7,NULL,NULL"},
      {"HSETNX e:a n 7", ":1\r\n", "a,NULL,7,NULL"},
      {"HDEL e:a v", ":0\r\n", "a,5,NULL," + present},
      {"EXPIRE e:a 100", ":0\r\n", "a,5,NULL," + present},
      {"PERSIST e:a", ":0\r\n", "a,5,NULL," + present},
  };
  for (const auto& [command, reply, row] : kCases) {
    fake_.set_now(kNow);
    ask("DEL e:a");
    ASSERT_EQ(ask("SET e:a 5 EX 10"), "+OK\r\n");
    pass_time_behind_a_request(kNow + 10);
    EXPECT_EQ(ask(command), reply) << command;
    EXPECT_EQ(rows("e"), Rows{row}) << command;
  }
}

TEST_F(RespTest, ATableThatIsNewBelongsToAll) {
  ask("SET kv:a 1");
  EXPECT_EQ(ask("DBSIZE"), ":1\r\n");
  fake_.create_table("d.later(k text, v text null; PRIMARY(k)) hs: name=later");
  ASSERT_TRUE(fake_.add_row("d", "later", {"b", "2"}));
  EXPECT_EQ(ask("DBSIZE"), ":2\r\n");
  fake_.create_table("d.last(k text, v text null; PRIMARY(k)) hs: name=last");
  ASSERT_TRUE(fake_.add_row("d", "last", {"c", "3"}));
  EXPECT_EQ(ask("SCAN 0 MATCH last:*"), "*2\r\n$1\r\n0\r\n*1\r\n$6\r\nlast:c\r\n");
}

TEST_F(RespTest, ABatchHasRoomForTenThousandCommandsInTurn) {
  for (int i = 0; i < 10'000; ++i) send(first_, "GET kv:a");
  size_t replies = 0;
  do {
    run({&first_});
    const std::string output = take(first_);
    ASSERT_FALSE(output.empty());
    replies += output.size() / 5;
  } while (first_.may_have_more);
  EXPECT_EQ(replies, 10'000u);
}

TEST_F(RespTest, WhatIsNoProtocolEndsTheConnectionWithAnError) {
  send(first_, "PING");
  first_.input().append("*1\r\n:1\r\n");
  run({&first_});
  EXPECT_EQ(take(first_), "+PONG\r\n-ERR Protocol error: expected '$', got ':'\r\n");
  EXPECT_EQ(first_.ending, Peer::Ending::kQuit);
}

TEST_F(RespTest, QuitIsAnsweredAndEndsTheConnection) {
  send(first_, "QUIT");
  send(first_, "PING");
  run({&first_});
  EXPECT_EQ(take(first_), "+OK\r\n");
  EXPECT_EQ(first_.ending, Peer::Ending::kQuit);
}

TEST_F(RespTest, AClientThatMustShowASecretIsServedBehindIt) {
  const exec::Authentication secret{"open sesame"};
  Peer peer(pool_, resp_protocol(), secret);
  const auto tell = [&](std::string_view line) {
    send(peer, line);
    run({&peer});
    return take(peer);
  };
  EXPECT_EQ(tell("GET kv:a"), "-NOAUTH Authentication required.\r\n");
  EXPECT_TRUE(tell("HELLO 3").starts_with("-NOAUTH HELLO must be called"));
  EXPECT_EQ(tell("AUTH wrong"),
            "-WRONGPASS invalid username-password pair or user is disabled.\r\n");
  peer.input().append(message({"AUTH", "open sesame"}));
  run({&peer});
  EXPECT_EQ(take(peer), "+OK\r\n");
  EXPECT_EQ(tell("GET kv:a"), "$-1\r\n");
  EXPECT_TRUE(tell("HELLO 3").starts_with("%7\r\n$6\r\nserver\r\n"));
  EXPECT_EQ(tell("GET kv:a"), "_\r\n");
  Peer other(pool_, resp_protocol(), secret);
  other.input().append(
      message({"HELLO", "3", "AUTH", "default", "open sesame", "SETNAME", "mine"}));
  run({&other});
  EXPECT_TRUE(take(other).starts_with("%7\r\n"));
  EXPECT_EQ(other.client.name(), "mine");
  send(other, "GET kv:a");
  run({&other});
  EXPECT_EQ(take(other), "_\r\n");
}

TEST_F(RespTest, WithoutASecretThereIsNothingToShow) {
  EXPECT_TRUE(ask("AUTH x").starts_with("-ERR AUTH <password> called without any password"));
}

TEST_F(RespTest, ATransactionThatGivesWayAtItsCommitIsExecutedAgain) {
  faulty_.gives_way = true;
  ask("MULTI");
  ask("INCR n:a");
  for (uint64_t nth = 1; nth <= 5; ++nth) faulty_.lose_transaction(testing::Call::kCommit, nth);
  EXPECT_EQ(ask("EXEC"), "*1\r\n:1\r\n");
  EXPECT_EQ(ask("GET n:a"), "$1\r\n1\r\n");
  EXPECT_EQ(ask("EXEC"), "-ERR EXEC without MULTI\r\n");
}

TEST_F(RespTest, TheLastAnswerIsToNoCommandOfAnother) {
  context_.limits.max_request_size = 1000;
  const std::string value(2000, 'x');
  for (const bool is_alone : {true, false}) {
    Peer peer(pool_, resp_protocol());
    const std::string block = words("MULTI") + words("SET kv:a 1") + words("EXEC");
    if (is_alone) {
      ask_bytes(block);
      send(peer, "SET kv:b " + value);
      run({&peer});
    } else {
      send(peer, "SET kv:b " + value);
      send_bytes(first_, block);
      run({&peer, &first_});
      EXPECT_EQ(take(first_), "+OK\r\n+QUEUED\r\n*1\r\n+OK\r\n");
    }
    EXPECT_TRUE(take(peer).starts_with("-ERR Protocol error: the command is longer than"));
    EXPECT_EQ(peer.ending, Peer::Ending::kLastWords);
  }
}

TEST_F(RespTest, ACommandThatBreaksOffWhileItIsTriedAgainIsDoneAsAWholeOrNotAtAll) {
  auto made =
      std::make_unique<ThrowingSession>(faulty_.make_session(engine::Mode::kReadWrite, "throwing"));
  ThrowingSession& throwing = *made;
  session_ = std::move(made);
  session_->enter({});
  batch_.emplace(context_, protocols_, *session_, counters_);
  for (Peer* peer : {&first_, &second_}) {  // both know the table
    send(*peer, "GET kv:c");
    run({peer});
    take(*peer);
  }
  int broken = 0;
  for (int call = 1; call <= 12; ++call) {
    const std::string keys[] = {"kv:a" + std::to_string(call), "kv:b" + std::to_string(call)};
    send(first_, "MSET " + keys[0] + " 1 " + keys[1] + " 1");
    send(second_, "SET kv:c 3");
    faulty_.lose_transaction(Call::kCommit, 1);
    throwing.throw_at = call;
    run({&first_, &second_});
    throwing.throw_at = 0;
    take(second_);
    take(first_);
    if (first_.ending == Peer::Ending::kFailed) ++broken;
    first_.ending = second_.ending = Peer::Ending::kNone;
    const std::string found = ask("EXISTS " + keys[0] + " " + keys[1]);
    EXPECT_TRUE(found == ":0\r\n" || found == ":2\r\n") << call << ": " << found;
  }
  EXPECT_GE(broken, 6);  // at first, and alone
}

}  // namespace
}  // namespace hs::server
