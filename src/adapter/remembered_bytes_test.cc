#include "adapter/remembered_bytes.h"

#include <gtest/gtest.h>

namespace hs::adapter {
namespace {

TEST(RememberedBytes, EachByteCounts) {
  char bytes[] = {'a', '\0', 'b'};
  RememberedBytes remembered;
  remembered.remember(bytes, sizeof bytes);
  EXPECT_TRUE(remembered.are(bytes, sizeof bytes));
  bytes[2] = 'c';
  EXPECT_FALSE(remembered.are(bytes, sizeof bytes));
  EXPECT_TRUE(remembered.are("a\0b", 3));
  remembered.remember(bytes, sizeof bytes);
  EXPECT_TRUE(remembered.are("a\0c", 3));
}

TEST(RememberedBytes, TheirNumberCounts) {
  RememberedBytes remembered;
  EXPECT_TRUE(remembered.are(nullptr, 0));
  remembered.remember("ab", 2);
  EXPECT_FALSE(remembered.are("ab", 1));
  EXPECT_FALSE(remembered.are("abc", 3));
  EXPECT_FALSE(remembered.are(nullptr, 0));
}

}  // namespace
}  // namespace hs::adapter
