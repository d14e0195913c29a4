#include "exec/gtid.h"

#include <memory>
#include <vector>

#include "testing/fixtures/exec_fixture.h"

namespace hs::exec {
namespace {

class GtidTest : public ExecTest {
 protected:
  static protocol::Request await(std::string_view gtids, uint32_t most_ms) {
    protocol::Request request;
    request.verb = protocol::Verb::kAwaitGtid;
    request.gtids = Value::of(gtids);
    request.wait_ms = most_ms;
    return request;
  }
  Result<GtidLook> look(std::string_view gtids, uint32_t most_ms, int64_t now_ms) {
    return look_for_gtid(context, await(gtids, most_ms), now_ms, client, *session);
  }
  std::string last() {
    protocol::Request request;
    request.verb = protocol::Verb::kLastGtid;
    plan_and_execute(context, request, client, *session, scratch, reply);
    return reply.take();
  }
};

TEST_F(GtidTest, TheLastOneIsThatOfTheClientsLastChange) {
  fake.write_binary_log();
  EXPECT_EQ(last(), "rows 1: []");
  client.set_last_gtid(engine::Gtid("0-1-7"));
  EXPECT_EQ(last(), "rows 1: [0-1-7]");
}

TEST_F(GtidTest, WithoutABinaryLogThereIsNone) { EXPECT_EQ(last(), "error no_binary_log"); }

TEST_F(GtidTest, WhatIsAppliedIsNotWaitedFor) {
  fake.apply(7);
  EXPECT_EQ(*look("0-2-7", 100, 0), GtidLook::kApplied);
  EXPECT_EQ(*look("", 100, 0), GtidLook::kApplied);
  EXPECT_EQ(client.gtid_wait(), nullptr);
}

TEST_F(GtidTest, AWaitEndsWhenItIsAppliedOrTheTimeIsOver) {
  EXPECT_EQ(*look("0-2-7", 100, 1000), GtidLook::kMustWait);
  EXPECT_EQ(*look("0-2-7", 100, 1099), GtidLook::kMustWait);
  EXPECT_EQ(*look("0-2-7", 100, 1100), GtidLook::kTimeOver);
  EXPECT_EQ(client.gtid_wait(), nullptr);
  EXPECT_EQ(*look("0-2-7", 100, 1100), GtidLook::kMustWait);
  fake.apply(8);
  EXPECT_EQ(*look("0-2-7", 100, 1101), GtidLook::kApplied);
  EXPECT_EQ(client.gtid_wait(), nullptr);
}

TEST_F(GtidTest, NoTimeIsNoWait) { EXPECT_EQ(*look("0-2-7", 0, 0), GtidLook::kTimeOver); }

TEST_F(GtidTest, WhatIsNoPositionIsAnErrorAtOnce) {
  EXPECT_EQ(look("7", 100, 0).error().code, ErrorCode::kGtid);
  protocol::Request request = await("", 100);
  request.gtids = Value::null();
  EXPECT_EQ(look_for_gtid(context, request, 0, client, *session).error().code, ErrorCode::kGtid);
}

TEST_F(GtidTest, AWaitIsAskedForInBounds) {
  EXPECT_EQ(plan(context, await("0-2-7", kMostGtidWaitMs), client).kind, Plan::Kind::kAwaitGtid);
  const Plan longer = plan(context, await("0-2-7", kMostGtidWaitMs + 1), client);
  EXPECT_EQ(longer.kind, Plan::Kind::kRefused);
  EXPECT_EQ(longer.error, ErrorCode::kNumber);
}

TEST_F(GtidTest, OnlySoManyClientsWait) {
  GtidWaits waits;
  context.gtid_waits = &waits;
  std::vector<std::unique_ptr<Client>> clients;
  const auto wait = [&](Client& from) {
    return look_for_gtid(context, await("0-2-7", 100), 0, from, *session);
  };
  for (uint32_t i = 0; i < GtidWaits::kMost; ++i) {
    clients.push_back(std::make_unique<Client>(pool));
    EXPECT_EQ(*wait(*clients.back()), GtidLook::kMustWait);
  }
  Client one_more(pool);
  EXPECT_EQ(wait(one_more).error().code, ErrorCode::kTooManyWaits);
  EXPECT_EQ(*wait(*clients.back()), GtidLook::kMustWait);
  clients.pop_back();
  EXPECT_EQ(*wait(one_more), GtidLook::kMustWait);
  clients.clear();
  EXPECT_EQ(waits.waiting(), 1u);
}

TEST_F(GtidTest, TheFirstLooksFollowEachOtherSoon) {
  const GtidWait wait(1000, 200);
  EXPECT_EQ(wait.next_look_ms(1000), 1001);
  EXPECT_EQ(wait.next_look_ms(1004), 1005);
  EXPECT_EQ(wait.next_look_ms(1040), 1050);
  EXPECT_EQ(wait.next_look_ms(1160), 1192);
  EXPECT_EQ(wait.next_look_ms(1190), 1200);  // when the time is over
  EXPECT_EQ(wait.next_look_ms(1300), 1300);
}

}  // namespace
}  // namespace hs::exec
