// The protocol of memcached in a batch, on the fake engine.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "protocol/memcached/binary.h"
#include "protocol/memcached/codec.h"
#include "testing/fixtures/keyed_batch.h"

namespace hs::server {
namespace {

using protocol::memcached::append_number;
using protocol::memcached::memcached_protocol;

constexpr int kDuplicateKey = 121;

constexpr const char* kTables[] = {
    "d.kv(k text, v text null; PRIMARY(k)) hs: name=kv",
    "d.n(k text, v int null; PRIMARY(k)) hs: name=n value=v",
    "d.u(k int, v text null; PRIMARY(k); unique by_v(v)) hs: name=u",
    ("d.x(k text, v text null, f int null, c big null, e int null expires; PRIMARY(k)) "
     "hs: name=x value=v flags=f cas=c ttl=e"),
};

class MemcachedTest : public ::testing::Test, protected KeyedBatch {
 protected:
  MemcachedTest() : KeyedBatch(memcached_protocol(), kTables) {}

  static void send(Peer& peer, std::string_view bytes) { send_bytes(peer, bytes); }
  std::string ask(std::string_view bytes) { return ask_bytes(bytes); }

  static std::string packet(uint8_t opcode, std::string_view key, std::string_view extras = {},
                            std::string_view value = {}) {
    std::string bytes(1, protocol::memcached::kRequestMagic);
    bytes.push_back(static_cast<char>(opcode));
    append_number(key.size(), 2, &bytes);
    append_number(extras.size(), 1, &bytes);
    append_number(0, 3, &bytes);
    append_number(extras.size() + key.size() + value.size(), 4, &bytes);
    bytes.append(4 + 8, '\0');
    return bytes.append(extras).append(key).append(value);
  }
  static int status_of(std::string_view answer) {
    return static_cast<uint8_t>(answer[6]) << 8 | static_cast<uint8_t>(answer[7]);
  }
  static std::string counting(uint64_t delta, uint64_t initial) {
    std::string extras;
    append_number(delta, 8, &extras);
    append_number(initial, 8, &extras);
    append_number(0, 4, &extras);
    return extras;
  }
};

TEST_F(MemcachedTest, AKeyNamesARowOfATable) {
  EXPECT_EQ(ask("get kv:a\r\n"), "END\r\n");
  EXPECT_EQ(ask("set kv:a 0 0 2\r\nhi\r\n"), "STORED\r\n");
  EXPECT_EQ(ask("get kv:a kv:b a nothing:a kv:a\r\n"),
            "VALUE kv:a 0 2\r\nhi\r\nVALUE kv:a 0 2\r\nhi\r\nEND\r\n");
  EXPECT_EQ(ask("delete nothing:a\r\n"), "NOT_FOUND\r\n");
  EXPECT_EQ(ask("append nothing:a 0 0 1\r\nx\r\n"), "NOT_STORED\r\n");
  EXPECT_TRUE(ask("set nothing:a 0 0 1\r\nx\r\n").starts_with("SERVER_ERROR the key is of no"));
  EXPECT_EQ(rows("kv"), (Rows{"a,hi"}));
}

TEST_F(MemcachedTest, TheThreeFormsAreServedInTurn) {
  const std::string flags(8, '\0');
  const std::string answers = ask("set x:a 3 100 1\r\n1\r\n" + packet(0x01, "x:b", flags, "2") +
                                  "mg x:a v f t\r\nget x:b\r\n");
  EXPECT_TRUE(answers.starts_with("STORED\r\n\x81"));
  EXPECT_TRUE(answers.ends_with("VA 1 f3 t100\r\n1\r\nVALUE x:b 0 1\r\n2\r\nEND\r\n"));
}

TEST_F(MemcachedTest, AnswersDoNotDependOnPackets) {
  ask("set x:a 0 0 1\r\n1\r\n");
  const std::string messages =
      "get x:a x:b\r\nmg x:a v\r\n" + packet(0x00, "x:b") + "touch x:a 0\r\nmn\r\n";
  send(first_, messages);
  run({&first_});
  const std::string answers = take(first_);
  for (size_t cut = 0; cut <= messages.size(); ++cut) {
    send(first_, messages.substr(0, cut));
    run({&first_});
    send(first_, messages.substr(cut));
    run({&first_});
    EXPECT_EQ(take(first_), answers) << cut;
  }
}

TEST_F(MemcachedTest, EveryByteIsAValue) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
  const std::string size = std::to_string(all.size());
  EXPECT_EQ(ask("set kv:a 0 0 " + size + "\r\n" + all + "\r\n"), "STORED\r\n");
  EXPECT_EQ(ask("get kv:a\r\n"), "VALUE kv:a 0 " + size + "\r\n" + all + "\r\nEND\r\n");
}

TEST_F(MemcachedTest, CommandsOfManyClientsShareACommit) {
  ask("set kv:a 0 0 1\r\n1\r\n");
  send(second_, "get kv:a\r\n");
  run({&second_});
  take(second_);
  const uint64_t before = counters_.commits.get();
  send(first_, "set kv:a 0 0 1\r\n2\r\nset kv:b 0 0 1 noreply\r\n2\r\nappend kv:b 0 0 1\r\n3\r\n");
  send(second_, "get kv:b\r\n");
  run({&first_, &second_});
  EXPECT_EQ(take(first_), "STORED\r\nSTORED\r\n");
  EXPECT_EQ(take(second_), "VALUE kv:b 0 2\r\n23\r\nEND\r\n");
  EXPECT_EQ(counters_.commits.get() - before, 1u);
}

TEST_F(MemcachedTest, ADeadlockExecutesACommandAgain) {
  ask("set n:a 0 0 1\r\n7\r\n");
  faulty_.lose_transaction(testing::Call::kUpdate, 1);
  EXPECT_EQ(ask("incr n:a 1\r\n"), "8\r\n");
  faulty_.lock_row(testing::Call::kUpdate, 1);
  EXPECT_EQ(ask("incr n:a 1\r\n"), "9\r\n");
  EXPECT_EQ(rows("n"), (Rows{"a,9"}));
}

TEST_F(MemcachedTest, ACommitThatFailsIsTheAnswerOfEachCommand) {
  ask("set kv:a 0 0 1\r\n0\r\n");
  faulty_.fail(testing::Call::kCommit, 1, Error::engine(1));
  EXPECT_EQ(ask("set kv:a 0 0 1\r\n1\r\nset kv:b 0 0 1\r\n1\r\n"),
            "SERVER_ERROR error 1 of the storage engine\r\n"
            "SERVER_ERROR error 1 of the storage engine\r\n");
  EXPECT_EQ(rows("kv"), (Rows{"a,0"}));
}

TEST_F(MemcachedTest, TheStatusOfAnErrorDoesNotDependOnItsWords) {
  for (const std::string words : {"too large", "non-numeric", "is not served"}) {
    faulty_.fail(testing::Call::kCommit, 1, Error::sql(1644, words));
    const std::string told = ask(packet(0x01, "kv:a", std::string(8, '\0'), "1"));
    EXPECT_EQ(status_of(told), 0x84) << words;
    EXPECT_TRUE(told.ends_with("SERVER_ERROR " + words));
  }
  EXPECT_EQ(status_of(ask(packet(0x08, ""))), 0x83);
  ask("set kv:a 0 0 1\r\nx\r\n");
  EXPECT_EQ(status_of(ask(packet(0x05, "kv:a", counting(1, 0)))), 0x06);
  EXPECT_EQ(status_of(ask(packet(0x99, ""))), 0x81);
}

TEST_F(MemcachedTest, AReadOnlyServerIsToldFromALockedTable) {
  faulty_.fail(testing::Call::kCommit, 1, Error::read_only_server());
  EXPECT_EQ(ask("set kv:a 0 0 1\r\n1\r\n"), "SERVER_ERROR the server is read-only\r\n");
  faulty_.fail(testing::Call::kCommit, 1, Error{ErrorCode::kLockTables, 0, {}});
  EXPECT_EQ(ask("set kv:a 0 0 1\r\n1\r\n"),
            "SERVER_ERROR the table could not be locked in time\r\n");
}

TEST_F(MemcachedTest, ARowThatIsTouchedOrDeletedGetsNoVersion) {
  const auto version_of = [](std::string_view told) { return told.substr(16, 8); };
  const std::string none(8, '\0');
  EXPECT_NE(version_of(ask(packet(0x01, "x:a", none, "1"))), none);
  EXPECT_EQ(version_of(ask(packet(0x1c, "x:a", std::string(4, '\0')))), none);
  EXPECT_EQ(version_of(ask(packet(0x04, "x:a"))), none);
}

TEST_F(MemcachedTest, ACountThatMeetsANewRowBeginsAgain) {
  ask("get n:a\r\n");
  faulty_.fail(testing::Call::kInsert, 1, Error::engine(kDuplicateKey));
  EXPECT_EQ(ask("ma n:a N0 J5 v\r\n"), "VA 1\r\n5\r\n");
  faulty_.fail(testing::Call::kInsert, 1, Error::engine(kDuplicateKey));
  EXPECT_EQ(status_of(ask(packet(0x05, "n:b", counting(1, 40)))), 0);
  EXPECT_EQ(rows("n"), (Rows{"a,5", "b,40"}));
  // Not for ever: the row of another key may be in the way.
  for (const uint64_t nth : {1, 2})
    faulty_.fail(testing::Call::kInsert, nth, Error::engine(kDuplicateKey));
  EXPECT_EQ(ask("ma n:c N0 v\r\n"),
            "SERVER_ERROR another row has the same value in a unique index\r\n");
}

TEST_F(MemcachedTest, TheRowOfAnotherKeyIsNeverChanged) {
  EXPECT_EQ(ask("set u:1 0 0 1\r\na\r\n"), "STORED\r\n");
  for (const char* verb : {"set", "add"}) {
    EXPECT_EQ(ask(std::string(verb) + " u:2 0 0 1\r\na\r\n"),
              "SERVER_ERROR another row has the same value in a unique index\r\n");
  }
  EXPECT_EQ(rows("u"), (Rows{"1,a"}));
}

TEST_F(MemcachedTest, AVersionThatHasChangedIsNotOverwritten) {
  EXPECT_EQ(ask("ms x:a 1 E7\r\n1\r\n"), "HD\r\n");
  EXPECT_EQ(ask("gets x:a\r\n"), "VALUE x:a 0 1 7\r\n1\r\nEND\r\n");
  EXPECT_EQ(ask("cas x:a 0 0 1 6\r\n2\r\n"), "EXISTS\r\n");
  EXPECT_EQ(ask("md x:a C6\r\n"), "EX\r\n");
  EXPECT_EQ(ask("cas x:a 0 0 1 7\r\n2\r\n"), "STORED\r\n");
  EXPECT_EQ(ask("cas x:a 0 0 1 7\r\n3\r\n"), "EXISTS\r\n");
  EXPECT_EQ(ask("cas x:b 0 0 1 7\r\n3\r\n"), "NOT_FOUND\r\n");
}

TEST_F(MemcachedTest, WhatIsToldOfARowIsTrue) {
  ask("ms x:a 2 T100 E9\r\nhi\r\n");
  EXPECT_EQ(ask("me x:a\r\n"), "ME x:a exp=100 cas=9 size=2\r\n");
  ask("touch x:a 0\r\n");
  EXPECT_EQ(ask("me x:a\r\n"), "ME x:a exp=-1 cas=9 size=2\r\n");
  EXPECT_EQ(ask("me x:b\r\n"), "EN\r\n");
}

TEST_F(MemcachedTest, RowsExpire) {
  ask("set x:a 0 100 1\r\n1\r\n");
  ask("set x:b 0 -1 1\r\n1\r\n");
  EXPECT_EQ(ask("get x:a x:b\r\n"), "VALUE x:a 0 1\r\n1\r\nEND\r\n");
  fake_.set_now(kNow + 100);
  EXPECT_EQ(ask("get x:a\r\n"), "END\r\n");
  EXPECT_EQ(ask("add x:a 0 0 1\r\n2\r\n"), "STORED\r\n");
  EXPECT_EQ(ask("get x:a\r\n"), "VALUE x:a 0 1\r\n2\r\nEND\r\n");
}

TEST_F(MemcachedTest, ATableThatChangesIsLookedUpAgain) {
  ask("set kv:a 0 0 1\r\n1\r\n");
  fake_.create_table("d.kv(k text, w text null; PRIMARY(k)) hs: name=kv");
  EXPECT_EQ(ask("get kv:a\r\n"), "END\r\n");
  EXPECT_EQ(ask("set kv:a 0 0 1\r\n2\r\n"), "STORED\r\n");
  EXPECT_EQ(rows("kv"), (Rows{"a,2"}));
  fake_.drop_table("d", "kv");
  EXPECT_EQ(ask("get kv:a\r\n"), "END\r\n");
}

TEST_F(MemcachedTest, ThousandsOfCommandsAreAnsweredInTurn) {
  ask("set kv:a 0 0 1\r\n1\r\n");
  std::string many, expected;
  for (int i = 0; i < 10'000; ++i) {
    many += "get kv:a\r\n";
    expected += "VALUE kv:a 0 1\r\n1\r\nEND\r\n";
  }
  send(first_, many);
  std::string answers;
  do {
    run({&first_});
    const std::string output = take(first_);
    ASSERT_FALSE(output.empty());
    answers += output;
  } while (first_.may_have_more);
  EXPECT_TRUE(answers == expected);
}

TEST_F(MemcachedTest, WhatIsTooLongEndsTheConnection) {
  context_.limits.max_request_size = 1000;
  const std::string text = "set kv:a 0 0 2000\r\n" + std::string(2000, 'x') + "\r\n";
  EXPECT_EQ(ask(text), "SERVER_ERROR object too large for cache\r\n");
  EXPECT_EQ(first_.ending, Peer::Ending::kLastWords);
  send(second_, packet(0x01, "kv:a", std::string(8, '\0'), std::string(2000, 'x')));
  run({&second_});
  EXPECT_EQ(status_of(take(second_)), 3);
  EXPECT_EQ(second_.ending, Peer::Ending::kLastWords);
  EXPECT_EQ(rows("kv"), Rows{});
}

TEST_F(MemcachedTest, TheLastAnswerGoesByItsOwnClientWhateverOthersSend) {
  context_.limits.max_request_size = 1000;
  Peer text(pool_, memcached_protocol()), binary(pool_, memcached_protocol());
  send(text, "set kv:a 0 0 2000 noreply\r\n" + std::string(2000, 'x') + "\r\n");
  send(first_, packet(0x01, "kv:b", std::string(8, '\0'), "1"));
  send(binary, packet(0x01, "kv:a", std::string(8, '\0'), std::string(2000, 'x')));
  send(second_, "set kv:c 0 0 1 noreply\r\n1\r\n");
  run({&text, &first_, &binary, &second_});
  EXPECT_EQ(take(text), "SERVER_ERROR object too large for cache\r\n");
  const std::string answer = take(binary);
  ASSERT_GE(answer.size(), 24U);
  EXPECT_EQ(answer.front(), '\x81');
  EXPECT_EQ(answer[1], '\x01');  // the opcode that was sent
  EXPECT_EQ(status_of(answer), 3);
  EXPECT_EQ(rows("kv"), (Rows{"b,1", "c,1"}));
}

TEST_F(MemcachedTest, ABrowserIsTurnedAwayBeforeItsBody) {
  for (const char* line : {"POST / HTTP/1.1", "Host: localhost:11211"}) {
    Peer peer(pool_, memcached_protocol());
    send(peer, std::string(line) + "\r\n\r\nset kv:a 0 0 1\r\n1\r\n");
    run({&peer});
    EXPECT_EQ(take(peer), "");
    EXPECT_EQ(peer.ending, Peer::Ending::kForeign);
  }
  EXPECT_EQ(rows("kv"), Rows{});
}

TEST_F(MemcachedTest, ARowThatExpiresBetweenTwoRequestsOfACommandIsNotThere) {
  const std::pair<const char*, const char*> kCases[] = {
      {"incr x:a 1\r\n", "NOT_FOUND\r\n"},
      {"append x:a 0 0 1\r\n6\r\n", "NOT_STORED\r\n"},
      {"ma x:a N0 J7 v\r\n", "VA 1\r\n7\r\n"},
      {"ma x:a T30\r\n", "NF\r\n"},
  };
  for (const auto& [command, reply] : kCases) {
    fake_.set_now(kNow);
    ask("delete x:a\r\n");
    ASSERT_EQ(ask("set x:a 0 10 1\r\n5\r\n"), "STORED\r\n");
    pass_time_behind_a_request(kNow + 10);
    EXPECT_EQ(ask(command), reply) << command;
  }
}

TEST_F(MemcachedTest, AClientThatMustShowASecretIsServedBehindIt) {
  const exec::Authentication secret{"open sesame"};
  Peer peer(pool_, memcached_protocol(), secret);
  const auto tell = [&](std::string_view bytes) {
    send(peer, bytes);
    run({&peer});
    return take(peer);
  };
  using namespace std::string_view_literals;
  EXPECT_EQ(tell("get kv:a\r\n"), "CLIENT_ERROR unauthenticated\r\n");
  EXPECT_EQ(status_of(tell(packet(0x00, "kv:a"))), 0x20);
  EXPECT_TRUE(tell(packet(0x20, "")).ends_with("PLAIN"));
  EXPECT_EQ(status_of(tell(packet(0x21, "PLAIN", "", "\0user\0wrong"sv))), 0x20);
  EXPECT_EQ(status_of(tell(packet(0x21, "OTHER", "", "\0user\0open sesame"sv))), 0x20);
  EXPECT_EQ(status_of(tell(packet(0x21, "PLAIN", "", "\0user\0open sesame"sv))), 0);
  EXPECT_EQ(tell("get kv:a\r\n"), "END\r\n");
}

}  // namespace
}  // namespace hs::server
