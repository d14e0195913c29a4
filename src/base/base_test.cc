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

TEST(Result, OfTheOptionsThatForbidAStatementReadOnlyIsToldApart) {
  const Error read_only = Error::option_prevents("running with the --super-read-only option");
  EXPECT_EQ(read_only.code, ErrorCode::kLockTables);
  EXPECT_EQ(read_only.number, Error::kReadOnlyServer);
  const Error other = Error::option_prevents("running with --max-session-mem-used=8192");
  EXPECT_EQ(other.code, ErrorCode::kSql);
  EXPECT_EQ(other.message, "running with --max-session-mem-used=8192");
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

TEST(Buffer, OfAnUnknownClientOverwritesWhatItDrops) {
  constexpr std::string_view kSecret = "sesame";
  Buffer buffer(nullptr, Buffer::Content::kFromClient);
  buffer.append(kSecret);
  const char* const place = buffer.data();
  buffer.consume(kSecret.size());
  EXPECT_EQ(std::string(place, kSecret.size()), std::string(kSecret.size(), '\0'));

  // What slides to the front is overwritten where it was.
  buffer.append(std::string(200, 'a') + std::string(kSecret));
  buffer.consume(200);
  buffer.reserve(buffer.capacity() - kSecret.size());
  EXPECT_EQ(buffer.view(), kSecret);
  EXPECT_EQ(buffer.data(), place);
  EXPECT_EQ(std::string(place + 200, kSecret.size()), std::string(kSecret.size(), '\0'));

  buffer.set_known(true);
  buffer.consume(kSecret.size());
  EXPECT_EQ(std::string(place, kSecret.size()), kSecret);
}

TEST(Buffer, OfAKnownClientOverwritesWhereBytesWereMovedFrom) {
  const std::string secret = "sesame";
  const std::string nothing(secret.size(), '\0');
  Buffer buffer(nullptr, Buffer::Content::kFromClient);
  buffer.set_known(true);
  buffer.append(std::string(200, 'a') + secret);
  const char* const place = buffer.data();
  buffer.consume(200);
  buffer.reserve(buffer.capacity() - secret.size());
  EXPECT_EQ(buffer.view(), secret);
  EXPECT_EQ(buffer.data(), place);
  EXPECT_EQ(std::string(place + 200, secret.size()), nothing);
}

}  // namespace
}  // namespace hs
