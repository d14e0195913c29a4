// A batch whose requests must wait for locks, lose deadlocks or are tried again.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/clock.h"
#include "server/batch.h"
#include "server/settings.h"
#include "server/transactions.h"
#include "testing/fixtures/batch_fixture.h"

namespace hs::server {
namespace {

TEST_F(BatchTest, WhatIsBeforeARequestThatMustWaitForARowIsCommittedFirst) {
  faulty_.lock_row(Call::kInsert, 2);
  first_.input().append(insert(1));
  second_.input().append(insert(2));
  third_.input().append(insert(3));
  run({&first_, &second_, &third_});
  for (Peer* peer : {&first_, &second_, &third_}) EXPECT_EQ(take(*peer), "0\t1\n");
  EXPECT_EQ(rows(), (std::vector<std::string>{"1,v1", "2,v2", "3,v3"}));
  EXPECT_EQ(commits(), 2u);
  EXPECT_EQ(counters_.requests.get(), 3u + 3u);
  EXPECT_EQ(counters_.retries.get(), 0u);
}

TEST_F(BatchTest, ARowThatStaysLockedFailsItsOwnRequestOnly) {
  faulty_.lock_row(Call::kInsert, 2);
  faulty_.fail(Call::kInsert, 3, Error::engine(146));
  first_.input().append(insert(1) + insert(2) + insert(3));
  run({&first_});
  EXPECT_EQ(take(first_), "0\t1\n1\t1\t146\n0\t1\n");
  EXPECT_EQ(rows(), (std::vector<std::string>{"1,v1", "3,v3"}));
}

TEST_F(BatchTest, ARequestThatMayNotWaitIsParkedWithAllBehindIt) {
  NoWaits outlet;
  Batch batch(context_, kProtocols, session_, counters_, &outlet);
  faulty_.lock_row(Call::kInsert, 2);
  first_.input().append(insert(1) + insert(2) + insert(3));
  second_.input().append(insert(4));
  for (int time = 0; time < 2; ++time) {
    run(batch, {&first_, &second_});
    if (time == 1) break;
    EXPECT_TRUE(first_.parked);
    EXPECT_TRUE(first_.may_have_more);
    EXPECT_EQ(first_.input().view(), insert(2) + insert(3));
    EXPECT_EQ(take(first_), "0\t1\n");
    EXPECT_EQ(take(second_), "0\t1\n");
    EXPECT_EQ(rows(), (std::vector<std::string>{"1,v1", "4,v4"}));
  }
  EXPECT_FALSE(first_.parked);
  EXPECT_EQ(take(first_), "0\t1\n0\t1\n");
  EXPECT_EQ(rows(), (std::vector<std::string>{"1,v1", "4,v4", "2,v2", "3,v3"}));
  EXPECT_EQ(counters_.requests.get(), 3u + 4u);
}

TEST_F(BatchTest, WhatIsParkedLaterHasAllOfItsPatienceAgain) {
  NoWaits outlet;
  Batch batch(context_, kProtocols, session_, counters_, &outlet);
  faulty_.lock_row(Call::kInsert, 1);
  first_.input().append(insert(1));
  run(batch, {&first_});
  EXPECT_TRUE(first_.parked);
  first_.waits_since_ms -= faulty_.patience_ms - 1'000;
  run(batch, {&first_});
  EXPECT_EQ(take(first_), "0\t1\n");
  faulty_.lock_row(Call::kInsert, 1);
  first_.input().append(insert(2));
  run(batch, {&first_});
  EXPECT_TRUE(first_.parked);
  EXPECT_LT(monotonic_ms() - first_.waits_since_ms, int64_t{faulty_.patience_ms} / 2);
}

TEST_F(BatchTest, WhatIsParkedAfterALostTransactionHasAllOfItsPatience) {
  const SharedSettings settings{Settings{}};
  Transactions transactions("watcher", engine::Mode::kReadWrite, faulty_, settings);
  NoWaits outlet;
  Batch batch(context_, kProtocols, session_, counters_, &outlet, nullptr, &transactions);
  faulty_.lock_row(Call::kInsert, 1);
  first_.input().append(insert(1));
  run(batch, {&first_});
  EXPECT_TRUE(first_.parked);
  first_.waits_since_ms -= faulty_.patience_ms - 1'000;
  first_.transaction = transactions.none();
  faulty_.lock_row(Call::kInsert, 1);
  first_.input().append("T\tR\n" + insert(2));
  run(batch, {&first_});
  EXPECT_EQ(take(first_), "1\t1\ttransaction_lost\n0\t1\n");
  EXPECT_TRUE(first_.parked);
  EXPECT_LT(monotonic_ms() - first_.waits_since_ms, int64_t{faulty_.patience_ms} / 2);
}

TEST_F(BatchTest, ATransactionIsNotBegunBeforeAParkedRequestInFrontOfIt) {
  const SharedSettings settings{Settings{}};
  Transactions transactions("watcher", engine::Mode::kReadWrite, faulty_, settings);
  NoWaits outlet;
  Batch batch(context_, kProtocols, session_, counters_, &outlet, nullptr, &transactions);
  // The second one is there as a whole, but its table is no longer open.
  for (const char* const end : {"", "T\tC\n"}) {
    const std::string sent = insert(1) + insert(2) + "T\tB\n" + insert(3) + end;
    session_.call = [this, end] { session_.open = *end == '\0'; };
    session_.call_at = 2;  // insert(2)
    faulty_.lose_transaction(Call::kCommit, 1);
    faulty_.lock_row(Call::kInsert, 3);  // insert(1), when both are executed again
    first_.input().append(sent);
    run(batch, {&first_});
    EXPECT_TRUE(first_.parked);
    EXPECT_EQ(first_.transaction, nullptr);
    EXPECT_EQ(take(first_), "");
    EXPECT_EQ(first_.input().view(), sent);
    EXPECT_EQ(rows(), std::vector<std::string>());
    first_.input().consume(sent.size());
  }
}

TEST_F(BatchTest, WhatIsUndoneForGoodIsNotCounted) {
  first_.input().append(insert(1) + insert(2));
  second_.input().append(insert(3));
  session_.throw_at = 2;
  faulty_.lose_transaction(Call::kInsert, 2);  // insert(3)
  run({&first_, &second_});
  EXPECT_EQ(first_.ending, Peer::Ending::kFailed);
  EXPECT_EQ(take(first_), "");
  EXPECT_EQ(take(second_), "0\t1\n");
  EXPECT_EQ(rows(), (std::vector<std::string>{"3,v3"}));
  EXPECT_EQ(counters_.rows_changed.get(), 1u);
}

TEST_F(BatchTest, WhatACommitUndoesIsNotCounted) {
  first_.input().append(insert(1) + insert(2));
  session_.throw_at = 2;
  faulty_.fail(Call::kCommit, 1, Error::engine(150));
  run({&first_});
  EXPECT_EQ(first_.ending, Peer::Ending::kFailed);
  EXPECT_EQ(rows(), std::vector<std::string>());
  EXPECT_EQ(counters_.rows_changed.get(), 0u);
}

struct MakesWay final : NoWaits {
  int times = 0;
  void make_way() override { ++times; }
};

TEST_F(BatchTest, ARollbackOfManyRowsMakesWayForOtherConnections) {
  MakesWay outlet;
  const SharedSettings settings{Settings{}};
  Transactions transactions("watcher", engine::Mode::kReadWrite, faulty_, settings);
  Batch batch(context_, kProtocols, session_, counters_, &outlet, nullptr, &transactions);
  for (const int rows : {1, 100}) {
    EXPECT_EQ(outlet.times, 0);
    first_.input().append("T\tB\nT\tS\ta\n");
    for (int i = 1; i <= rows; ++i) first_.input().append(insert(i));
    first_.input().append("T\tU\ta\nT\tR\n");
    run(batch, {&first_});
    EXPECT_TRUE(first_.input().empty());
    EXPECT_EQ(first_.transaction, nullptr);
  }
  EXPECT_EQ(outlet.times, 2);
}

TEST_F(BatchTest, AfterADeadlockOneMayBeParkedAndTheOthersGoOn) {
  NoWaits outlet;
  Batch batch(context_, kProtocols, session_, counters_, &outlet);
  context_.limits.max_request_size = 40;
  first_.input().append(insert(1) + insert(2) + insert(3) + std::string(100, 'x'));
  second_.input().append(insert(4));
  faulty_.lose_transaction(Call::kInsert, 4);
  faulty_.lock_row(Call::kInsert, 6);  // insert(2), when all are executed again
  run(batch, {&first_, &second_});
  EXPECT_TRUE(first_.parked);
  EXPECT_EQ(first_.ending, Peer::Ending::kNone);
  EXPECT_EQ(take(first_), "0\t1\n");
  EXPECT_EQ(take(second_), "0\t1\n");
  EXPECT_EQ(rows(), (std::vector<std::string>{"1,v1", "4,v4"}));
  EXPECT_EQ(counters_.requests.get(), 3u + 2u);
  run({&first_});
  EXPECT_EQ(take(first_), "0\t1\n0\t1\n2\t1\trequest_too_long\n");
  EXPECT_EQ(rows(), (std::vector<std::string>{"1,v1", "4,v4", "2,v2", "3,v3"}));
}

TEST_F(BatchTest, ABatchCanBeSplitWhileItsRequestsRunAgainAndOneIsParked) {
  NoWaits outlet;
  Batch batch(context_, kProtocols, session_, counters_, &outlet);
  first_.input().append(insert(1));
  second_.input().append(insert(2));
  third_.input().append(insert(3));
  faulty_.lose_transaction(Call::kInsert, 3);
  faulty_.lock_row(Call::kInsert, 4);  // insert(1), when all are executed again
  Queue final;
  std::vector<Peer*> kept;
  session_.call = [&] { batch.split(final, [&](Peer& peer) { kept.push_back(&peer); }); };
  session_.call_at = 5;  // insert(2), which might wait there
  for (Peer* peer : {&first_, &second_, &third_}) batch.run(*peer);
  EXPECT_EQ(kept, (std::vector<Peer*>{&second_, &third_}));
  ASSERT_FALSE(final.empty());
  EXPECT_EQ(&final.pop_front(), &first_);
  EXPECT_TRUE(first_.parked);
  EXPECT_EQ(first_.input().view(), insert(1));
  batch.finish();
  batch.clear();
  EXPECT_EQ(take(second_) + take(third_), "0\t1\n0\t1\n");
  EXPECT_EQ(rows(), (std::vector<std::string>{"2,v2", "3,v3"}));
  EXPECT_EQ(counters_.requests.get(), 3u + 2u);
}

TEST_F(BatchTest, AWaitBehindOneThatMustWaitIsNotTakenForItsOwn) {
  NoWaits outlet;
  Batch batch(context_, kProtocols, session_, counters_, &outlet);
  faulty_.lock_row(Call::kInsert, 1);
  first_.input().append(insert(1));
  second_.input().append("9\t=\t1\t1\nA\t1\tsecret\n");
  run(batch, {&first_, &second_});
  EXPECT_TRUE(first_.parked);
  EXPECT_FALSE(second_.parked);
  EXPECT_EQ(take(second_), "2\t1\tstmtnum\n0\t1\n");
}

TEST_F(BatchTest, ADeadlockOfOneRequestLosesNoOther) {
  first_.input().append(insert(1) + insert(2));
  second_.input().append(find(1) + insert(3) + insert(1));
  third_.input().append(find(3));
  faulty_.lose_transaction(Call::kInsert, 3);
  run({&first_, &second_, &third_});
  EXPECT_EQ(take(first_), "0\t1\n0\t1\n");
  EXPECT_EQ(take(second_), found(1) + "0\t1\n1\t1\t121\n");
  EXPECT_EQ(take(third_), found(3));
  EXPECT_EQ(rows(), (std::vector<std::string>{"1,v1", "2,v2", "3,v3"}));
  EXPECT_EQ(counters_.retries.get(), 4u);  // what came after the deadlock was no retry
  EXPECT_EQ(counters_.requests.get(), 3u + 6u);
}

TEST_F(BatchTest, ARequestThatDeadlocksAgainIsTriedAloneThreeTimes) {
  first_.input().append(insert(1) + insert(2) + insert(3));
  faulty_.lose_transaction(Call::kInsert, 2);  // in the group
  faulty_.lose_transaction(Call::kInsert, 4);  // alone: 3 is insert(1)
  faulty_.lose_transaction(Call::kInsert, 5);
  run({&first_});
  EXPECT_EQ(take(first_), "0\t1\n0\t1\n0\t1\n");

  first_.input().append(insert(4) + insert(5) + insert(6));
  for (uint64_t nth : {2, 4, 5, 6}) faulty_.lose_transaction(Call::kInsert, nth);
  run({&first_});
  EXPECT_EQ(take(first_), "0\t1\n1\t1\t149\n0\t1\n");
  EXPECT_EQ(rows(), (std::vector<std::string>{"1,v1", "2,v2", "3,v3", "4,v4", "6,v6"}));
}

TEST_F(BatchTest, WhatGaveWayToAnotherServerIsExecutedAgainUntilItsTimeIsOver) {
  faulty_.gives_way = true;
  first_.input().append(insert(1) + insert(2));
  for (uint64_t nth : {2, 3, 4, 5, 6, 7}) faulty_.lose_transaction(Call::kInsert, nth);
  run({&first_});
  EXPECT_EQ(take(first_), "0\t1\n0\t1\n");

  // A single request, too, and however late it is lost.
  first_.input().append(insert(3));
  for (uint64_t nth : {1, 2, 3, 4, 5, 6, 7}) faulty_.lose_transaction(Call::kCommit, nth);
  run({&first_});
  EXPECT_EQ(take(first_), "0\t1\n");
  EXPECT_EQ(rows(), (std::vector<std::string>{"1,v1", "2,v2", "3,v3"}));

  faulty_.patience_ms = 0;
  first_.input().append(insert(4) + insert(5));
  for (uint64_t nth : {1, 2, 3, 4}) faulty_.lose_transaction(Call::kCommit, nth);
  run({&first_});
  EXPECT_EQ(take(first_), "1\t1\t149\n0\t1\n");
  EXPECT_EQ(rows(), (std::vector<std::string>{"1,v1", "2,v2", "3,v3", "5,v5"}));
}

// Without a pause those that always meet would never get through.
TEST_F(BatchTest, WhatIsLostAgainAndAgainMakesWayAndStepsBack) {
  faulty_.gives_way = true;
  for (const int losses : {1, 3, 8}) {
    MakesWay outlet;
    Batch batch(context_, kProtocols, session_, counters_, &outlet);
    first_.input().append(insert(losses));
    for (int nth = 1; nth <= losses; ++nth)
      faulty_.lose_transaction(Call::kCommit, static_cast<uint64_t>(nth));
    run(batch, {&first_});
    EXPECT_EQ(take(first_), "0\t1\n");
    // The first loss is of the group, and the next two are tried again at once.
    EXPECT_EQ(outlet.times, std::max(losses - 3, 0));
  }
}

TEST_F(BatchTest, ACommitThatFailsAfterADeadlockFailsOnlyItsRequest) {
  first_.input().append(insert(1) + insert(2));
  faulty_.lose_transaction(Call::kInsert, 2);
  faulty_.fail(Call::kCommit, 1, Error::engine(150));
  run({&first_});
  EXPECT_EQ(take(first_), "1\t1\t150\n0\t1\n");
  EXPECT_EQ(rows(), (std::vector<std::string>{"2,v2"}));
}

TEST_F(BatchTest, ACommitThatLosesTheGroupIsTriedForEachRequestAlone) {
  first_.input().append(insert(1) + insert(2));
  second_.input().append(find(1));
  faulty_.lose_transaction(Call::kCommit, 1);
  faulty_.fail(Call::kCommit, 3, Error::engine(150));
  run({&first_, &second_});
  EXPECT_EQ(take(first_), "0\t1\n1\t1\t150\n");
  EXPECT_EQ(take(second_), found(1));
  EXPECT_EQ(rows(), (std::vector<std::string>{"1,v1"}));
  EXPECT_EQ(counters_.retries.get(), 3u);

  // Executed alone, the request takes its own error.
  faulty_.lose_transaction(Call::kCommit, 1);
  first_.input().append(insert(3));
  run({&first_});
  EXPECT_EQ(take(first_), "1\t1\t149\n");
  EXPECT_EQ(counters_.retries.get(), 3u);
}

TEST_F(BatchTest, ARequestSurvivesThatEarlierOnesAreExecutedAgain) {
  // Its values are in the parser's memory, which is used again for the earlier ones.
  first_.input().append(insert(1) + insert(2));
  batch_.run(first_);
  session_.open = false;
  faulty_.lose_transaction(Call::kCommit, 1);
  second_.input().append(insert(3));
  run({&second_});
  EXPECT_EQ(take(first_), "0\t1\n0\t1\n");
  EXPECT_EQ(take(second_), "0\t1\n");
  EXPECT_EQ(rows(), (std::vector<std::string>{"1,v1", "2,v2", "3,v3"}));

  session_.open = true;
  first_.input().append(insert(4) + insert(5) + insert(6));
  faulty_.lock_row(Call::kInsert, 3);
  faulty_.lose_transaction(Call::kCommit, 1);
  run({&first_});
  EXPECT_EQ(take(first_), "0\t1\n0\t1\n0\t1\n");
  EXPECT_EQ(rows(), (std::vector<std::string>{"1,v1", "2,v2", "3,v3", "4,v4", "5,v5", "6,v6"}));
}

TEST_F(BatchTest, ADeadlockDoesNotRepeatWhatWasCommittedBeforeAnOpen) {
  first_.input().append(insert(1) + "P\t2\td\tt\t\tk\n" + insert(2) + insert(3));
  faulty_.lose_transaction(Call::kInsert, 3);
  run({&first_});
  EXPECT_EQ(take(first_), "0\t1\n0\t1\n0\t1\n0\t1\n");
  EXPECT_EQ(counters_.retries.get(), 2u);
}

TEST_F(BatchTest, ARequestThatCannotBeUndoneIsNeverExecutedAgain) {
  session_.undo = false;
  faulty_.lose_transaction(Call::kInsert, 2);
  first_.input().append(insert(1) + find(1) + insert(2) + insert(3));
  run({&first_});
  const std::string replies = take(first_);
  EXPECT_EQ(replies.find("0\t1\n" + found(1)), 0u) << replies;
  EXPECT_EQ(faulty_.calls(Call::kInsert), 3u);
}

TEST_F(BatchTest, AnExceptionWhileTryingAgainEndsOnlyItsOwnConnection) {
  first_.input().append(insert(1) + insert(2));
  second_.input().append(insert(3));
  faulty_.lose_transaction(Call::kInsert, 3);
  session_.throw_at = 4;  // insert(1), alone
  run({&first_, &second_});
  EXPECT_EQ(take(first_), "");
  EXPECT_EQ(first_.ending, Peer::Ending::kFailed);
  EXPECT_EQ(take(second_), "0\t1\n");
  EXPECT_EQ(rows(), (std::vector<std::string>{"3,v3"}));
}

}  // namespace
}  // namespace hs::server
