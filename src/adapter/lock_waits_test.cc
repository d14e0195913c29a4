#include "adapter/lock_waits.h"

#include <gtest/gtest.h>

namespace hs::adapter {
namespace {

using Lock = LockWaits::Lock;

class LockWaitsTest : public ::testing::Test {
 protected:
  LockWaitsTest() {
    waits.set_longest_s(Lock::kRow, 50);
    waits.set_longest_s(Lock::kTable, 12);
  }

  LockWaits waits;
};

TEST_F(LockWaitsTest, AtFirstItDoesNotWait) {
  EXPECT_FALSE(waits.may_wait());
  EXPECT_EQ(waits.wait_s(Lock::kRow), 0u);
  EXPECT_EQ(waits.wait_s(Lock::kTable), 0u);
  EXPECT_FALSE(waits.must_wait());
}

TEST_F(LockWaitsTest, AWaitLastsWholeSecondsRoundedUp) {
  const uint32_t cases[][2] = {{0, 0}, {1, 1}, {999, 1}, {1000, 1}, {1001, 2}, {9000, 9}};
  for (const auto& [most_ms, seconds] : cases) {
    waits.begin(most_ms);
    EXPECT_TRUE(waits.may_wait());
    EXPECT_EQ(waits.wait_s(Lock::kRow), seconds);
    EXPECT_EQ(waits.wait_s(Lock::kTable), seconds);
    waits.end();
    EXPECT_EQ(waits.wait_s(Lock::kRow), 0u);
  }
}

TEST_F(LockWaitsTest, NoWaitIsLongerThanTheSettingsOfItsKindOfLockAllow) {
  waits.begin(UINT32_MAX);
  EXPECT_EQ(waits.wait_s(Lock::kRow), 50u);
  EXPECT_EQ(waits.wait_s(Lock::kTable), 12u);
  waits.begin(20'000);
  EXPECT_EQ(waits.wait_s(Lock::kRow), 20u);
  EXPECT_EQ(waits.wait_s(Lock::kTable), 12u);
}

TEST_F(LockWaitsTest, ALockThatWasNotWaitedForIsToBeWaitedForAsLongAsTheSettingsAllow) {
  waits.note_refused(Lock::kRow);
  EXPECT_TRUE(waits.must_wait());
  EXPECT_EQ(waits.patience_ms(), 50'000u);
  waits.note_refused(Lock::kTable);
  EXPECT_EQ(waits.patience_ms(), 12'000u);
  waits.forget_refused();
  EXPECT_FALSE(waits.must_wait());
}

TEST_F(LockWaitsTest, PatienceForSomethingElseLeavesALockToBeWaitedFor) {
  waits.be_patient(Lock::kTable);
  EXPECT_FALSE(waits.must_wait());
  EXPECT_EQ(waits.patience_ms(), 12'000u);
  waits.note_refused(Lock::kTable);
  waits.be_patient(Lock::kRow);
  EXPECT_TRUE(waits.must_wait());
  EXPECT_EQ(waits.patience_ms(), 50'000u);
}

TEST_F(LockWaitsTest, ALockThatWasWaitedForInVainIsNotWaitedForAgain) {
  waits.begin(1000);
  waits.note_refused(Lock::kRow);
  EXPECT_FALSE(waits.must_wait());
  waits.end();
  EXPECT_FALSE(waits.must_wait());
}

TEST_F(LockWaitsTest, APatienceOfMoreMillisecondsThanFitIsTheMostThatFit) {
  waits.set_longest_s(Lock::kRow, UINT32_MAX / 1000);
  waits.note_refused(Lock::kRow);
  EXPECT_EQ(waits.patience_ms(), UINT32_MAX / 1000 * 1000);
  waits.set_longest_s(Lock::kRow, UINT32_MAX / 1000 + 1);
  waits.note_refused(Lock::kRow);
  EXPECT_EQ(waits.patience_ms(), UINT32_MAX);
}

}  // namespace
}  // namespace hs::adapter
