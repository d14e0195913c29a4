#include "net/spin.h"

#include <gtest/gtest.h>

namespace hs::net {
namespace {

void sleep(Spin& spin, uint32_t times, int64_t ns) {
  for (uint32_t i = 0; i < times; ++i) spin.slept(ns, 1);
}

TEST(SpinTest, StartsAfterShortWaitsInARow) {
  Spin spin(1000);
  sleep(spin, Spin::kFewest - 1, 999);
  EXPECT_FALSE(spin.pays());
  spin.slept(999, 1);
  EXPECT_TRUE(spin.pays());
}

TEST(SpinTest, ALongWaitBeginsTheRowAgain) {
  Spin spin(1000);
  sleep(spin, Spin::kFewest - 1, 999);
  spin.slept(1000, 1);
  sleep(spin, Spin::kFewest - 1, 999);
  EXPECT_FALSE(spin.pays());
}

TEST(SpinTest, GoesOnAsLongAsItSucceeds) {
  Spin spin(1000);
  sleep(spin, Spin::kFewest, 1);
  for (int i = 0; i < 100'000; ++i) spin.found(1);
  EXPECT_TRUE(spin.pays());
}

TEST(SpinTest, SeveralEventsAtOnceBeginTheRowAgain) {
  Spin spin(1000);
  sleep(spin, Spin::kFewest - 1, 1);
  spin.slept(1, 2);
  sleep(spin, Spin::kFewest - 1, 1);
  EXPECT_FALSE(spin.pays());
  spin.slept(1, 1);
  EXPECT_TRUE(spin.pays());
  spin.found(2);
  EXPECT_FALSE(spin.pays());
  sleep(spin, Spin::kFewest, 1);
  EXPECT_TRUE(spin.pays());
}

TEST(SpinTest, EachFailureAsksForTwiceAsManyShortWaits) {
  Spin spin(1000);
  sleep(spin, Spin::kFewest, 1);
  spin.failed();
  sleep(spin, 2 * Spin::kFewest - 1, 1);
  EXPECT_FALSE(spin.pays());
  spin.slept(1, 1);
  EXPECT_TRUE(spin.pays());
  for (int i = 0; i < 40; ++i) spin.failed();
  sleep(spin, Spin::kMost, 1);
  EXPECT_TRUE(spin.pays());
}

TEST(SpinTest, ManySuccessesMakeItForgetFailures) {
  Spin spin(1000);
  for (int i = 0; i < 40; ++i) spin.failed();
  for (uint32_t i = 0; i < Spin::kTrusted; ++i) spin.found(1);
  spin.slept(1000, 1);
  sleep(spin, Spin::kFewest, 1);
  EXPECT_TRUE(spin.pays());
}

TEST(SpinTest, NoTimeMeansNever) {
  Spin spin(0);
  sleep(spin, Spin::kMost, 0);
  EXPECT_FALSE(spin.pays());
}

}  // namespace
}  // namespace hs::net
