// Nothing reads before or behind the bytes that it was given. Each line, and each beginning and end
// of it, is put directly behind and directly before a page that cannot be read.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "protocol/handlersocket/encoding.h"
#include "protocol/handlersocket/foreign.h"
#include "protocol/handlersocket/framing.h"
#include "protocol/handlersocket/parser.h"
#include "testing/fixtures/guard_pages.h"
#include "testing/fixtures/request_text.h"

namespace hs::protocol::handlersocket {
namespace {

using namespace std::string_literals;
using testing::for_every_cut;
using testing::GuardPages;

constexpr size_t kLongest = 4096;

// Whole files of the fuzzers' corpus: requests of all forms, with their line ends.
std::vector<std::string> corpus() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(HS_REQUEST_CORPUS)) {
    std::ifstream file(entry.path(), std::ios::binary);
    files.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return files;
}

std::vector<std::string> lines_of(const std::vector<std::string>& files) {
  std::vector<std::string> lines;
  for (std::string_view rest : files) {
    for (size_t end; (end = rest.find('\n')) != std::string_view::npos;) {
      lines.emplace_back(rest.substr(0, end));
      rest.remove_prefix(end + 1);
    }
  }
  return lines;
}

// Values of about the sizes that are handled as one word or one chunk.
std::vector<std::string> values() {
  std::vector<std::string> values = {"", "\0"s, "\x01@"s, "\x01Ia\x01Jb\x01"s, "a\x01Ib\x01Oc"s};
  for (const size_t size : {7u, 8u, 9u, 15u, 16u, 17u, 31u, 33u, 70u}) {
    values.push_back(std::string(size, 'x'));
    values.push_back(std::string(size, '\n'));
    values.push_back(std::string(size, 'x') + "\x01J");
  }
  return values;
}

TEST(PageEdge, AByteBeyondTheEdgeCannotBeRead) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  GuardPages pages(kLongest);
  const auto read = [](const char* where) { return *static_cast<const volatile char*>(where); };
  const std::string_view last = pages.at_end("ab");
  EXPECT_EQ(read(last.data()), 'a');
  EXPECT_DEATH(read(last.data() + 2), "");
  const std::string_view first = pages.at_begin("ab");
  EXPECT_EQ(read(first.data() + 1), 'b');
  EXPECT_DEATH(read(first.data() - 1), "");
}

TEST(PageEdge, ParsingAnyPartOfALineReadsNothingElse) {
  const std::vector<std::string> lines = lines_of(corpus());
  ASSERT_GT(lines.size(), 40u);
  GuardPages pages(kLongest);
  Parser parser;
  for (const std::string& line : lines) {
    for_every_cut(pages, line, [&](std::string_view cut) {
      EXPECT_EQ(to_text(parser.parse(cut)), to_text(parser.parse(std::string(cut)))) << cut;
    });
  }
}

TEST(PageEdge, LongTokensEndWhereTheLineDoes) {
  GuardPages pages(kLongest);
  Parser parser;
  for (const std::string& value : values()) {
    const std::string line = "1\t=\t2\t" + value + "\t" + value;
    for_every_cut(pages, line, [&](std::string_view cut) {
      EXPECT_EQ(to_text(parser.parse(cut)), to_text(parser.parse(std::string(cut)))) << cut;
    });
  }
}

TEST(PageEdge, FramingLooksAtWhatWasReceivedOnly) {
  GuardPages pages(kLongest);
  for (const std::string& file : corpus()) {
    for_every_cut(pages, file, [&](std::string_view cut) {
      const std::string copy(cut);
      for (const size_t max_size : {size_t{0}, cut.size() / 2, cut.size(), size_t{1} << 20}) {
        const Frame frame = next_line(cut, cut.size() / 3, max_size);
        const Frame same = next_line(copy, cut.size() / 3, max_size);
        EXPECT_EQ(frame.state, same.state);
        EXPECT_EQ(frame.line, same.line);
        EXPECT_EQ(frame.consumed, same.consumed);
      }
    });
  }
}

TEST(PageEdge, OtherProtocolsAreToldByTheirLineAlone) {
  GuardPages pages(kLongest);
  for (const std::string& line : {"GET /x HTTP/1.1"s, "Host: localhost"s}) {
    for_every_cut(pages, line, [&](std::string_view cut) {
      EXPECT_EQ(foreign(cut), foreign(std::string(cut))) << cut;
    });
  }
}

TEST(PageEdge, UnescapingReadsAndWritesNothingBeyond) {
  GuardPages pages(kLongest);
  GuardPages results(kLongest);
  for (const std::string& value : values()) {
    for_every_cut(pages, value, [&](std::string_view cut) {
      std::string copy(cut.size(), '\0');
      const std::optional<size_t> expected = unescape(std::string(cut), copy.data());
      for (char* const out : {results.room_at_begin(), results.room_at_end(cut.size())}) {
        EXPECT_EQ(unescape(cut, out), expected);
        EXPECT_EQ(std::string_view(out, expected.value_or(0)),
                  copy.substr(0, expected.value_or(0)));
      }
    });
  }
}

TEST(PageEdge, EscapingReadsAndWritesNothingBeyond) {
  GuardPages pages(kLongest);
  GuardPages results(kLongest);
  for (const std::string& value : values()) {
    for_every_cut(pages, value, [&](std::string_view cut) {
      std::string copy(2 * cut.size(), '\0');
      copy.resize(static_cast<size_t>(escape(std::string(cut), copy.data()) - copy.data()));
      EXPECT_EQ(encoded_size(Value::of(cut)), copy.size());
      for (char* const out : {results.room_at_begin(), results.room_at_end(2 * cut.size())}) {
        const char* const end = escape(cut, out);
        EXPECT_EQ(std::string_view(out, static_cast<size_t>(end - out)), copy);
      }
    });
  }
}

}  // namespace
}  // namespace hs::protocol::handlersocket
