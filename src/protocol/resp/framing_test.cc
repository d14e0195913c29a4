#include "protocol/resp/framing.h"

#include <gtest/gtest.h>

#include <string>

namespace hs::protocol::resp {
namespace {

using State = Frame::State;
using Arguments = std::vector<std::string>;

constexpr size_t kLongest = 1u << 20;

struct Read {
  Frame frame;
  Arguments arguments;
};

Read read(std::string_view unread, size_t longest = kLongest) {
  std::vector<std::string_view> views;
  Progress progress;
  Read read{next_frame(unread, longest, progress, views), {}};
  read.arguments.assign(views.begin(), views.end());
  return read;
}

TEST(Framing, AMessageIsItsArguments) {
  const std::string message = "*2\r\n$3\r\nGET\r\n$6\r\nuser:1\r\n";
  const Read found = read(message + "*1\r\n");
  EXPECT_EQ(found.frame.state, State::kWhole);
  EXPECT_EQ(found.frame.size, message.size());
  EXPECT_EQ(found.arguments, (Arguments{"GET", "user:1"}));
}

TEST(Framing, AnArgumentMayHaveAnyBytes) {
  const std::string bytes("\r\n\0$*", 5);
  const Read found = read("*1\r\n$5\r\n" + bytes + "\r\n");
  EXPECT_EQ(found.frame.state, State::kWhole);
  EXPECT_EQ(found.arguments, (Arguments{bytes}));
}

TEST(Framing, AMessageThatComesByteByByteIsFoundAtItsLastByte) {
  for (const std::string& message :
       {std::string("*3\r\n$3\r\nSET\r\n$6\r\nuser:1\r\n$0\r\n\r\n"), std::string("GET user:1\r\n"),
        std::string("*0\r\n"), std::string("*-1\r\n")}) {
    Progress progress;
    std::vector<std::string_view> views;
    for (size_t size = 1; size < message.size(); ++size) {
      views.clear();
      const Frame frame =
          next_frame(std::string_view(message).substr(0, size), kLongest, progress, views);
      EXPECT_EQ(frame.state, State::kIncomplete) << size << " of " << message;
    }
    views.clear();
    const Frame frame = next_frame(message, kLongest, progress, views);
    EXPECT_EQ(frame.state, State::kWhole) << message;
    EXPECT_EQ(frame.size, message.size());
    EXPECT_EQ(read(message).frame.size, message.size());
    EXPECT_EQ(progress.parsed, 0u);
  }
}

TEST(Framing, ArgumentsOfALineAreSeparatedByBlanksAndMayBeQuoted) {
  EXPECT_EQ(read("  GET \t user:1 \r\n").arguments, (Arguments{"GET", "user:1"}));
  EXPECT_EQ(read("SET a \"b c\" '' \n").arguments, (Arguments{"SET", "a", "b c", ""}));
  EXPECT_EQ(read("\r\n").arguments, Arguments{});
  EXPECT_EQ(read("\r\n").frame.size, 2u);
  EXPECT_EQ(read("SET a \"b\r\n").frame.error, "Protocol error: unbalanced quotes in request");
  for (const char* line : {"SET \"a\"b\r\n", "SET a\"b\r\n", "SET a\"b c\"\r\n", "SET it's\r\n"}) {
    EXPECT_EQ(read(line).frame.error, "Protocol error: unbalanced quotes in request") << line;
  }
}

TEST(Framing, WhatIsNoMessageIsWrong) {
  EXPECT_EQ(read("*1\r\n:1\r\n").frame.error, "Protocol error: expected '$', got ':'");
  EXPECT_EQ(read("*a\r\n").frame.error, "Protocol error: invalid multibulk length");
  EXPECT_EQ(read("*1048577\r\n").frame.error, "Protocol error: invalid multibulk length");
  EXPECT_EQ(read("*99999999999999999999\r\n").frame.error,
            "Protocol error: invalid multibulk length");
  EXPECT_EQ(read("*1\r\n$-1\r\n").frame.error, "Protocol error: invalid bulk length");
  EXPECT_EQ(read("*1\r\n$536870913\r\n").frame.error, "Protocol error: invalid bulk length");
  EXPECT_EQ(read("*1\r\n$99999999999999999999999999999999\r\n").frame.error,
            "Protocol error: invalid bulk length");
  EXPECT_EQ(read("*" + std::string(40, '1')).frame.error,
            "Protocol error: invalid multibulk length");
}

TEST(Framing, ALengthDecidesBeforeItsBytesAreThere) {
  EXPECT_EQ(read("*1\r\n$1048560\r\n").frame.state, State::kIncomplete);
  EXPECT_EQ(read("*1\r\n$1048577\r\n").frame.state, State::kTooLong);
}

TEST(Framing, AMessageAsLongAsAllowedIsTakenAndOneByteMoreIsNot) {
  const std::string message = "*1\r\n$4\r\nPING\r\n";
  EXPECT_EQ(read(message, message.size()).frame.state, State::kWhole);
  EXPECT_EQ(read(message, message.size() - 1).frame.state, State::kTooLong);
}

TEST(Framing, ALineWithoutEndIsWrongPast64KiB) {
  EXPECT_EQ(read(std::string(64u << 10, 'a')).frame.state, State::kIncomplete);
  EXPECT_EQ(read(std::string((64u << 10) + 1, 'a')).frame.error,
            "Protocol error: too big inline request");
}

TEST(Framing, AnIntegerHasNoOtherForm) {
  int64_t number = 0;
  for (const char* text : {"0", "-1", "9223372036854775807", "-9223372036854775808"}) {
    EXPECT_TRUE(parse_integer(text, &number)) << text;
    EXPECT_EQ(std::to_string(number), text);
  }
  for (const char* text :
       {"", "-", "+1", "01", "-0", " 1", "1 ", "1a", "9223372036854775808", "0x1", "1.0"}) {
    EXPECT_FALSE(parse_integer(text, &number)) << text;
  }
}

}  // namespace
}  // namespace hs::protocol::resp
