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
  static std::string no_host() { return ""; }
  Result<GtidLook> look(std::string_view gtids, uint32_t most_ms, int64_t now_ms) {
    return look_for_gtid(context, await(gtids, most_ms), now_ms, client, *session, no_host);
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
  const auto looked = look_for_gtid(context, request, 0, client, *session, no_host);
  EXPECT_EQ(looked.error().code, ErrorCode::kGtid);
}

TEST_F(GtidTest, AWaitIsAskedForInBounds) {
  EXPECT_EQ(plan(context, await("0-2-7", kMostGtidWaitMs), client).kind, Plan::Kind::kAwaitGtid);
  const Plan longer = plan(context, await("0-2-7", kMostGtidWaitMs + 1), client);
  EXPECT_EQ(longer.kind, Plan::Kind::kRefused);
  EXPECT_EQ(longer.error, ErrorCode::kNumber);
}

// Clients that wait, each of a host.
class GtidWaitsTest : public GtidTest {
 protected:
  GtidWaitsTest() { context.gtid_waits = &waits; }

  Result<GtidLook> wait(Client& from, const std::string& host = "a") {
    return look_for_gtid(context, await("0-2-7", 100), 0, from, *session, [&] { return host; });
  }
  void take_places(uint32_t number, const std::string& host = "a") {
    for (uint32_t i = 0; i < number; ++i) {
      clients.push_back(std::make_unique<Client>(pool));
      ASSERT_EQ(*wait(*clients.back(), host), GtidLook::kMustWait);
    }
  }
  // The numbers of those that have lost their places.
  std::vector<size_t> losers() const {
    std::vector<size_t> found;
    for (size_t i = 0; i < clients.size(); ++i) {
      if (clients[i]->gtid_wait()->has_given_way()) found.push_back(i);
    }
    return found;
  }

  GtidWaits waits;
  std::vector<std::unique_ptr<Client>> clients;
};

TEST_F(GtidWaitsTest, OnlySoManyClientsWait) {
  take_places(GtidWaits::kMost);
  Client one_more(pool);
  EXPECT_EQ(wait(one_more).error().code, ErrorCode::kTooManyWaits);
  EXPECT_EQ(*wait(*clients.back()), GtidLook::kMustWait);
  clients.pop_back();
  EXPECT_EQ(*wait(one_more), GtidLook::kMustWait);
  clients.clear();
  EXPECT_EQ(waits.waiting(), 1u);
}

TEST_F(GtidWaitsTest, AClientThatMayHaveGoneGivesWayOnceAllPlacesAreTaken) {
  take_places(1, "b");
  clients[0]->gtid_wait()->note_client_has_ended();
  take_places(GtidWaits::kMost - 1);
  EXPECT_TRUE(losers().empty());
  take_places(1, "b");
  EXPECT_EQ(losers(), std::vector<size_t>{0});
  EXPECT_EQ(wait(*clients[0], "b").error().code, ErrorCode::kTooManyWaits);
  EXPECT_EQ(clients[0]->gtid_wait(), nullptr);
  EXPECT_EQ(waits.waiting(), GtidWaits::kMost);
  clients.clear();
  EXPECT_EQ(waits.waiting(), 0u);
}

TEST_F(GtidWaitsTest, WhatIsAppliedIsToldToOneThatHasLostItsPlaceToo) {
  take_places(GtidWaits::kMost);
  clients[3]->gtid_wait()->note_client_has_ended();
  take_places(1, "b");
  fake.apply(7);
  EXPECT_EQ(*wait(*clients[3]), GtidLook::kApplied);
}

TEST_F(GtidWaitsTest, HostsShareThePlaces) {
  take_places(GtidWaits::kMost - 2, "a");
  take_places(2, "b");
  Client more(pool);
  EXPECT_EQ(wait(more, "a").error().code, ErrorCode::kTooManyWaits);
  EXPECT_TRUE(losers().empty());
  take_places(1, "b");
  take_places(1, "c");
  // The newest ones of the host that has most.
  EXPECT_EQ(losers(), (std::vector<size_t>{GtidWaits::kMost - 4, GtidWaits::kMost - 3}));
  take_places(GtidWaits::kMost / 2 - 4, "b");
  EXPECT_EQ(losers().size(), GtidWaits::kMost / 2 - 2);
  EXPECT_EQ(wait(more, "b").error().code, ErrorCode::kTooManyWaits);
  EXPECT_EQ(wait(more, "a").error().code, ErrorCode::kTooManyWaits);
  EXPECT_EQ(waits.waiting(), GtidWaits::kMost);
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
