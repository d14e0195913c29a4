#include "server/commit_pace.h"

#include <gtest/gtest.h>

#include <vector>

namespace hs::server {
namespace {

constexpr int64_t kCommitNs = 800'000;

class CommitPaceTest : public ::testing::Test {
 protected:
  CommitPaceTest() { pace_.committed(kCommitNs); }

  // A batch of that many connections is answered.
  std::vector<CommitPace::Mark> answer(size_t connections) {
    std::vector<CommitPace::Mark> marks(connections);
    pace_.begin_answers();
    for (CommitPace::Mark& mark : marks) pace_.answered(mark);
    pace_.end_answers(now_);
    return marks;
  }

  CommitPace pace_;
  int64_t now_ = 1'000'000'000;
};

TEST_F(CommitPaceTest, ABatchWaitsForConnectionsThatWereAnsweredJustNow) {
  std::vector<CommitPace::Mark> marks = answer(10);
  for (size_t i = 0; i < 5; ++i) pace_.came(marks[i]);
  EXPECT_EQ(pace_.patience_ns(5, now_), kCommitNs / 2);
  EXPECT_EQ(pace_.patience_ns(5, now_ + 100'000), kCommitNs / 2 - 100'000);
}

TEST_F(CommitPaceTest, ItWaitsForNoneThatHasComeBack) {
  std::vector<CommitPace::Mark> marks = answer(2);
  for (CommitPace::Mark& mark : marks) pace_.came(mark);
  EXPECT_EQ(pace_.patience_ns(2, now_), 0);
}

TEST_F(CommitPaceTest, AConnectionAloneNeverWaits) {
  for (int i = 0; i < 10; ++i) {
    std::vector<CommitPace::Mark> marks = answer(1);
    pace_.came(marks[0]);
    EXPECT_EQ(pace_.patience_ns(1, now_), 0);
  }
}

TEST_F(CommitPaceTest, FewThatAreMissingAreWorthLittleToMany) {
  std::vector<CommitPace::Mark> marks = answer(20);
  for (size_t i = 0; i < 19; ++i) pace_.came(marks[i]);
  EXPECT_EQ(pace_.patience_ns(19, now_), kCommitNs / 19);
}

TEST_F(CommitPaceTest, ConnectionsThatWereAnsweredLongAgoAreNotWaitedFor) {
  answer(10);
  EXPECT_EQ(pace_.patience_ns(1, now_ + kCommitNs), 0);
}

TEST_F(CommitPaceTest, ConnectionsOfAnEarlierBatchAreNotWaitedFor) {
  std::vector<CommitPace::Mark> earlier = answer(10);
  std::vector<CommitPace::Mark> last = answer(1);
  pace_.came(earlier[0]);  // counts for nothing
  EXPECT_GT(pace_.patience_ns(1, now_), 0);
  pace_.came(last[0]);
  EXPECT_EQ(pace_.patience_ns(1, now_), 0);
}

TEST_F(CommitPaceTest, WaitingInVainEndsSoonAndIsTriedAgainLater) {
  for (int i = 0; i < 20; ++i) {
    answer(10);
    pace_.waited(false);
  }
  answer(10);
  EXPECT_LT(pace_.patience_ns(1, now_), kCommitNs / 50);
  for (int i = 0; i < 200; ++i) answer(10);
  EXPECT_EQ(pace_.patience_ns(1, now_), kCommitNs / 2);
}

TEST_F(CommitPaceTest, WaitingThatPaysIsKept) {
  answer(10);
  pace_.waited(false);
  answer(10);
  pace_.waited(true);
  EXPECT_EQ(pace_.patience_ns(1, now_), kCommitNs / 2);
}

TEST_F(CommitPaceTest, OneCommitThatIsMuchSlowerCountsLittle) {
  pace_.committed(1000 * kCommitNs);
  EXPECT_LT(pace_.commit_ns(), 2 * kCommitNs);
  for (int i = 0; i < 100; ++i) pace_.committed(kCommitNs / 4);
  EXPECT_LT(pace_.commit_ns(), kCommitNs / 3);
}

TEST_F(CommitPaceTest, WithNoCommitYetNothingWaits) {
  CommitPace fresh;
  CommitPace::Mark mark = 0;
  fresh.begin_answers();
  fresh.answered(mark);
  fresh.end_answers(now_);
  EXPECT_EQ(fresh.patience_ns(1, now_), 0);
}

}  // namespace
}  // namespace hs::server
