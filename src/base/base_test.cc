#include <gtest/gtest.h>

#include "base/buffer.h"
#include "base/result.h"

namespace hs {
namespace {

TEST(Result, HoldsAValueOrAnError) {
  Result<int> value = 7;
  ASSERT_TRUE(value);
  EXPECT_EQ(*value, 7);
  Result<int> error = ErrorCode::kIndex;
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().code, ErrorCode::kIndex);
  EXPECT_TRUE(Result<void>());
}

TEST(Buffer, GrowsKeepsAndConsumes) {
  Buffer buffer;
  std::string expected;
  for (int i = 100; i < 5000; ++i) {
    buffer.append(std::to_string(i));
    expected += std::to_string(i);
    if (i % 3 == 0) {
      buffer.consume(2);
      expected.erase(0, 2);
    }
  }
  EXPECT_EQ(buffer.view(), expected);
  buffer.truncate(10);
  EXPECT_EQ(buffer.view(), expected.substr(0, 10));
  buffer.consume(10);
  EXPECT_TRUE(buffer.empty());
  buffer.shrink(100);
  EXPECT_EQ(buffer.capacity(), 0u);
}

TEST(Buffer, ConsumeKeepsViewsOfTheRest) {
  Buffer buffer;
  buffer.append("abcdef");
  const char* d = buffer.data() + 3;
  buffer.consume(3);
  EXPECT_EQ(buffer.data(), d);
}

}  // namespace
}  // namespace hs
