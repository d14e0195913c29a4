#include "protocol/resp/encoder.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "protocol/resp/command.h"

namespace hs::protocol::resp {
namespace {

std::string written(int version, const std::function<void(Encoder&)>& write) {
  Buffer buffer;
  buffer.append("before ");
  Encoder encoder;
  encoder.set_target(buffer, version);
  write(encoder);
  return std::string(buffer.view().substr(7));
}

TEST(Encoder, WritesTheSameInBothVersions) {
  for (const int version : {2, 3}) {
    EXPECT_EQ(written(version, [](Encoder& out) { out.ok(); }), "+OK\r\n");
    EXPECT_EQ(written(version, [](Encoder& out) { out.bulk(""); }), "$0\r\n\r\n");
    EXPECT_EQ(written(version, [](Encoder& out) { out.bulk("a\r\n"); }), "$3\r\na\r\n\r\n");
    EXPECT_EQ(written(version, [](Encoder& out) { out.array(2); }), "*2\r\n");
    EXPECT_EQ(written(version, [](Encoder& out) { out.integer(INT64_MIN); }),
              ":-9223372036854775808\r\n");
    EXPECT_EQ(written(version, [](Encoder& out) { out.integer(UINT64_MAX); }),
              ":18446744073709551615\r\n");
    EXPECT_EQ(written(version, [](Encoder& out) { out.integer(int64_t{0}); }), ":0\r\n");
  }
}

TEST(Encoder, WritesTheFormsOfVersion3) {
  EXPECT_EQ(written(2, [](Encoder& out) { out.null(); }), "$-1\r\n");
  EXPECT_EQ(written(3, [](Encoder& out) { out.null(); }), "_\r\n");
  EXPECT_EQ(written(2, [](Encoder& out) { out.null_array(); }), "*-1\r\n");
  EXPECT_EQ(written(3, [](Encoder& out) { out.null_array(); }), "_\r\n");
  EXPECT_EQ(written(2, [](Encoder& out) { out.map(3); }), "*6\r\n");
  EXPECT_EQ(written(3, [](Encoder& out) { out.map(3); }), "%3\r\n");
  EXPECT_EQ(written(2, [](Encoder& out) { out.set(3); }), "*3\r\n");
  EXPECT_EQ(written(3, [](Encoder& out) { out.set(3); }), "~3\r\n");
  EXPECT_EQ(written(2, [](Encoder& out) { out.verbatim("a"); }), "$1\r\na\r\n");
  EXPECT_EQ(written(3, [](Encoder& out) { out.verbatim("a"); }), "=5\r\ntxt:a\r\n");
}

TEST(Encoder, AnErrorIsOneLineWhateverItsText) {
  EXPECT_EQ(written(2, [](Encoder& out) { out.error("ERR a\r\nb\n"); }), "-ERR a  b \r\n");
}

TEST(Encoder, WhatWasWrittenCanBeTakenBackToTheReplysBegin) {
  EXPECT_EQ(written(2,
                    [](Encoder& out) {
                      out.bulk("abc");
                      out.truncate(0);
                      out.ok();
                    }),
            "+OK\r\n");
}

TEST(Patterns, AreThoseOfRedis) {
  EXPECT_TRUE(is_like("user:1", "*"));
  EXPECT_TRUE(is_like("", "*"));
  EXPECT_TRUE(is_like("", ""));
  EXPECT_FALSE(is_like("a", ""));
  EXPECT_TRUE(is_like("user:17", "user:*"));
  EXPECT_TRUE(is_like("user:17", "*:1?"));
  EXPECT_FALSE(is_like("user:17", "*:1"));
  EXPECT_TRUE(is_like("user:17", "u*r*7"));
  EXPECT_TRUE(is_like("hello", "h[ae]llo"));
  EXPECT_FALSE(is_like("hillo", "h[ae]llo"));
  EXPECT_TRUE(is_like("hbllo", "h[^e]llo"));
  EXPECT_TRUE(is_like("hbllo", "h[a-b]llo"));
  EXPECT_TRUE(is_like("hbllo", "h[b-a]llo"));
  EXPECT_TRUE(is_like("a*b", "a\\*b"));
  EXPECT_FALSE(is_like("axb", "a\\*b"));
  EXPECT_FALSE(is_like("User:1", "user:*"));
}

// With a step back for each star this would take until the end of the world.
TEST(Patterns, ManyStarsTakeNoTime) {
  std::string pattern;
  for (int i = 0; i < 1000; ++i) pattern += "a*";
  EXPECT_FALSE(is_like(std::string(10'000, 'a'), pattern + "b"));
}

}  // namespace
}  // namespace hs::protocol::resp
