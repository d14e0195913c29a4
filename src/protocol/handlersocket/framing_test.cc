#include "protocol/handlersocket/framing.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hs::protocol::handlersocket {
namespace {

using State = Frame::State;
constexpr size_t kMax = 10;

TEST(Framing, TakesTheFirstOfSeveralLines) {
  const std::string_view unread = "ab\ncd\n";
  const Frame frame = next_line(unread, 0, kMax);
  ASSERT_EQ(frame.state, State::kLine);
  EXPECT_EQ(frame.line, "ab");
  EXPECT_EQ(frame.line.data(), unread.data());
  EXPECT_EQ(frame.consumed, 3u);
}

TEST(Framing, AnEmptyLineIsALine) {
  const Frame frame = next_line("\n\n", 0, kMax);
  ASSERT_EQ(frame.state, State::kLine);
  EXPECT_EQ(frame.line, "");
  EXPECT_EQ(frame.consumed, 1u);
}

TEST(Framing, DropsExactlyOneCarriageReturn) {
  EXPECT_EQ(next_line("ab\r\n", 0, kMax).line, "ab");
  EXPECT_EQ(next_line("ab\r\n", 0, kMax).consumed, 4u);
  EXPECT_EQ(next_line("ab\r\r\n", 0, kMax).line, "ab\r");
  EXPECT_EQ(next_line("\r\n", 0, kMax).line, "");
  EXPECT_EQ(next_line("a\rb\n", 0, kMax).line, "a\rb");
}

TEST(Framing, WithoutALineFeedThereIsNoLine) {
  for (const std::string_view unread : {"", "a", "ab\r", "0123456789"}) {
    EXPECT_EQ(next_line(unread, 0, kMax).state, State::kIncomplete) << unread;
  }
}

TEST(Framing, DoesNotSearchTwice) {
  // With a false `searched` the result shows which bytes are examined.
  EXPECT_EQ(next_line("a\nb\n", 2, kMax).line, "a\nb");
  EXPECT_EQ(next_line("a\nb", 3, kMax).state, State::kIncomplete);
  EXPECT_EQ(next_line("a\nb", 99, kMax).state, State::kIncomplete);
}

TEST(Framing, ALineAtTheLimitIsTakenAndOnePastIsNot) {
  EXPECT_EQ(next_line("0123456789\n", 0, kMax).line, "0123456789");
  EXPECT_EQ(next_line("012345678\r\n", 0, kMax).line, "012345678");
  EXPECT_EQ(next_line("0123456789x\n", 0, kMax).state, State::kTooLong);
  EXPECT_EQ(next_line("0123456789\r\n", 0, kMax).state, State::kTooLong);
  EXPECT_EQ(next_line("0123456789x", 0, kMax).state, State::kTooLong);
  EXPECT_EQ(next_line("0123456789x", 10, kMax).state, State::kTooLong);
  EXPECT_EQ(next_line("0123456789x\n", 11, kMax).state, State::kTooLong);
}

TEST(Framing, GivesTheSameLinesHoweverTheBytesArrive) {
  const std::string stream = "1\t=\t1\tk\r\n\n\r\nabc\n";
  const std::vector<std::string> expected = {"1\t=\t1\tk", "", "", "abc"};
  for (size_t packet = 1; packet <= stream.size(); ++packet) {
    std::vector<std::string> lines;
    size_t begin = 0, searched = 0;
    for (size_t end = 0; end < stream.size();) {
      end = std::min(stream.size(), end + packet);
      for (;;) {
        const std::string_view unread = std::string_view(stream).substr(begin, end - begin);
        const Frame frame = next_line(unread, searched, kMax);
        ASSERT_NE(frame.state, State::kTooLong);
        searched = frame.state == State::kLine ? 0 : unread.size();
        if (frame.state == State::kIncomplete) break;
        lines.emplace_back(frame.line);
        begin += frame.consumed;
      }
    }
    EXPECT_EQ(lines, expected) << "packets of " << packet;
  }
}

}  // namespace
}  // namespace hs::protocol::handlersocket
