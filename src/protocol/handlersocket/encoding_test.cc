#include "protocol/handlersocket/encoding.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace hs::protocol::handlersocket {
namespace {

using namespace std::string_literals;

std::string escaped(std::string_view bytes) {
  Buffer buffer;
  append_escaped(buffer, bytes);
  return std::string(buffer.view());
}

std::optional<std::string> unescaped(std::string_view token) {
  std::string out(token.size(), '?');
  const std::optional<size_t> size = unescape(token, out.data());
  if (!size) return std::nullopt;
  out.resize(*size);
  return out;
}

TEST(Encoding, EscapesTheBytesBelow0x10AndNoOthers) {
  for (int i = 0; i < 256; ++i) {
    const auto byte = static_cast<char>(i);
    const std::string expected =
        i < 0x10 ? std::string{'\x01', static_cast<char>(i + 0x40)} : std::string{byte};
    EXPECT_EQ(escaped({&byte, 1}), expected) << i;
    // Also in every place of the eight bytes that are examined together.
    for (size_t place = 0; place < 8; ++place) {
      std::string word = "\xff\x10 8chars"s.substr(0, 8);
      word[place] = byte;
      EXPECT_EQ(escaped(word), word.substr(0, place) + expected + word.substr(place + 1)) << i;
    }
  }
}

TEST(Encoding, EveryByteValueComesBack) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  EXPECT_EQ(unescaped(escaped(all)), all);
}

TEST(Encoding, EveryLengthComesBackAlsoAcrossChunks) {
  std::mt19937 random(1);
  for (size_t size = 0; size < 70; ++size) {
    std::string bytes;
    for (size_t i = 0; i < size; ++i) bytes += static_cast<char>(random() % 32);
    EXPECT_EQ(unescaped(escaped(bytes)), bytes) << size;
  }
  for (const size_t size : {16383u, 16384u, 16385u, 100000u}) {
    std::string bytes;
    for (size_t i = 0; i < size; ++i) bytes += static_cast<char>(random() % 256);
    EXPECT_EQ(unescaped(escaped(bytes)), bytes) << size;
    EXPECT_EQ(escaped(std::string(size, '\n')).size(), 2 * size);
    EXPECT_EQ(escaped(std::string(size, 'x')), std::string(size, 'x'));
  }
}

TEST(Encoding, AppendsBehindWhatIsThere) {
  Buffer buffer;
  buffer.append("0\t2\t");
  append_value(buffer, Value::of("a\tb"));
  buffer.append('\t');
  append_value(buffer, Value::null());
  buffer.append('\t');
  append_value(buffer, Value::of(""));
  EXPECT_EQ(buffer.view(), "0\t2\ta\x01Ib\t\0\t"s);
}

TEST(Encoding, TheNullTokenIsTheLoneNulByte) {
  EXPECT_TRUE(is_null_token("\0"s));
  EXPECT_FALSE(is_null_token(""));
  EXPECT_FALSE(is_null_token("\0\0"s));
  EXPECT_FALSE(is_null_token("\x01@"));
  EXPECT_FALSE(is_null_token("0"));
}

TEST(Encoding, AStringOfOneNulByteIsNotSentAsNull) { EXPECT_EQ(escaped("\0"s), "\x01@"); }

TEST(Encoding, TakesRawControlBytesAsTheyAre) {
  EXPECT_EQ(unescaped("\0x"s), "\0x"s);
  EXPECT_EQ(unescaped("\0\0"s), "\0\0"s);
  EXPECT_EQ(unescaped("a\x02\x0f\rb"), "a\x02\x0f\rb");
}

TEST(Encoding, TakesOnlyTheSixteenEscapes) {
  for (int i = 0; i < 256; ++i) {
    const std::string token = {'a', '\x01', static_cast<char>(i), 'b'};
    if (i >= 0x40 && i <= 0x4f) {
      EXPECT_EQ(unescaped(token), (std::string{'a', static_cast<char>(i - 0x40), 'b'}));
    } else {
      EXPECT_EQ(unescaped(token), std::nullopt) << i;
    }
  }
}

TEST(Encoding, RefusesAnEscapeAtTheEnd) {
  EXPECT_EQ(unescaped("\x01"), std::nullopt);
  EXPECT_EQ(unescaped("abc\x01"), std::nullopt);
  EXPECT_EQ(unescaped("\x01"s + "A\x01"), std::nullopt);
  EXPECT_EQ(unescaped("\x01"s + "A"), "\x01");
}

}  // namespace
}  // namespace hs::protocol::handlersocket
