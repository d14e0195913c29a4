// GTIDs and descriptions in a batch, which are answered behind the commit of what was before them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/batch.h"
#include "testing/fixtures/batch_fixture.h"

namespace hs::server {
namespace {

TEST_F(BatchTest, WhatWasChangedIsCommittedBeforeADescription) {
  const std::string describe = "D\td\n", tables = "0\t2\tt\t\n";
  first_.input().append(describe + insert(1) + describe + describe + insert(2) + find(1));
  run({&first_});
  EXPECT_EQ(take(first_), tables + "0\t1\n" + tables + tables + "0\t1\n" + found(1));
  // Before the second description, and at the end.
  EXPECT_EQ(commits(), 2u);
}

TEST_F(BatchTest, ADescriptionThatMustWaitIsTriedAgain) {
  faulty_.lock_row(Call::kDescribe, 1);
  first_.input().append(insert(1) + "D\td\n");
  second_.input().append(insert(2));
  run({&first_, &second_});
  EXPECT_EQ(take(first_), "0\t1\n0\t2\tt\t\n");
  EXPECT_EQ(take(second_), "0\t1\n");
  EXPECT_EQ(faulty_.calls(Call::kDescribe), 2u);
}

TEST_F(BatchTest, TheGtidOfAChangeIsToldOnceItIsCommitted) {
  fake_.write_binary_log();
  first_.input().append("G\tL\n" + insert(1) + insert(2) + "G\tL\n" + find(1));
  second_.input().append(insert(3));
  third_.input().append(find(1) + "G\tL\n");
  run({&first_, &second_, &third_});
  // The changes share a commit all the same.
  EXPECT_EQ(commits(), 1u);
  EXPECT_EQ(take(first_), "0\t1\t\n0\t1\n0\t1\n");
  EXPECT_TRUE(first_.may_have_more);
  EXPECT_EQ(take(third_), found(1) + "0\t1\t\n");
  second_.input().append("G\tL\n" + insert(4) + "G\tL\n");
  run({&first_, &second_});
  EXPECT_EQ(take(first_), "0\t1\t0-1-1\n" + found(1));
  EXPECT_EQ(take(second_), "0\t1\n0\t1\t0-1-1\n0\t1\n");
  EXPECT_FALSE(first_.may_have_more);
  run({&second_});
  EXPECT_EQ(take(second_), "0\t1\t0-1-2\n");
}

TEST_F(BatchTest, OnlyWhoeverHasChangedSomethingHasItsGtid) {
  fake_.write_binary_log();
  first_.input().append(insert(1));
  second_.input().append(insert(1) + "1\t=\t1\t9\t1\t0\tD\n" + "G\tL\n");
  run({&first_, &second_});
  EXPECT_EQ(take(second_), "1\t1\t121\n0\t1\t0\n0\t1\t\n");
  first_.input().append("G\tL\n");
  run({&first_});
  EXPECT_EQ(take(first_), "0\t1\n0\t1\t0-1-1\n");
}

TEST_F(BatchTest, ARequestThatIsExecutedAgainHasTheGtidOfItsOwnCommit) {
  fake_.write_binary_log();
  faulty_.lose_transaction(Call::kInsert, 2);
  first_.input().append(insert(1) + "G\tL\n");
  second_.input().append(insert(2) + "G\tL\n");
  run({&first_, &second_});
  run({&first_, &second_});
  EXPECT_EQ(take(first_), "0\t1\n0\t1\t0-1-1\n");
  EXPECT_EQ(take(second_), "0\t1\n0\t1\t0-1-2\n");
}

TEST_F(BatchTest, ARequestThatAwaitsAGtidIsSetAside) {
  const std::string await = "G\tW\t0-2-5\t60000\n";
  first_.input().append(find(1) + await + find(1));
  second_.input().append(insert(1) + await);
  run({&first_, &second_});
  EXPECT_EQ(take(first_), "0\t2\n");
  EXPECT_TRUE(first_.awaits_gtid);
  // Its changes are committed before it waits.
  EXPECT_EQ(take(second_), "0\t1\n");
  EXPECT_TRUE(second_.awaits_commit);
  run({&first_, &second_});
  EXPECT_TRUE(first_.awaits_gtid);
  EXPECT_TRUE(second_.awaits_gtid);
  fake_.apply(5);
  run({&first_, &second_});
  EXPECT_EQ(take(first_), "0\t1\t1\n" + found(1));
  EXPECT_EQ(take(second_), "0\t1\t1\n");
  EXPECT_FALSE(first_.awaits_gtid);
}

TEST_F(BatchTest, WhatIsReadBehindAGtidIsNoOlder) {
  const exec::Context reads{engine::Mode::kReadOnly, Limits{}, [] { return int64_t{0}; }};
  const auto session = faulty_.make_session(engine::Mode::kReadOnly, "test");
  session->enter({});
  Batch batch(reads, kProtocols, *session, counters_);
  fake_.apply(5);
  first_.input().append(find(1));
  second_.input().append("G\tW\t0-2-5\t0\n" + find(1));
  const uint64_t ended = faulty_.calls(Call::kCommit);
  batch.run(first_);
  EXPECT_EQ(faulty_.calls(Call::kCommit), ended);
  batch.run(second_);
  EXPECT_EQ(faulty_.calls(Call::kCommit), ended + 1);
  batch.finish();
  EXPECT_EQ(take(second_), "0\t1\t1\n0\t2\n");
  batch.clear();
}

TEST_F(BatchTest, AWaitThatIsOverAndOneThatCannotBeAreAnswered) {
  first_.input().append("G\tW\t0-2-5\t0\nG\tW\tx\t0\nG\tW\t\t0\nG\tW\t0-2-5\t600001\n");
  run({&first_});
  EXPECT_EQ(take(first_), "0\t1\t0\n2\t1\tgtid\n0\t1\t1\n2\t1\tnumber\n");
}

TEST_F(BatchTest, WhatTheOthersHaveChangedIsCommittedBeforeAnAnswerThatIsFinal) {
  fake_.apply(5);
  faulty_.fail(Call::kCommit, 1, Error::engine(150));
  first_.input().append(insert(1));
  second_.input().append("G\tW\t0-2-5\t0\n");
  run({&first_, &second_});
  EXPECT_EQ(take(first_), "1\t1\t150\n");
  EXPECT_EQ(take(second_), "0\t1\t1\n");
}

}  // namespace
}  // namespace hs::server
