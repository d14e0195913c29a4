// What parsing does to memory. Once warm it allocates nothing; it modifies nothing; it keeps
// nothing of a giant request; it takes no memory because a number announces it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "base/limits.h"
#include "protocol/handlersocket/encoding.h"
#include "protocol/handlersocket/parser.h"
#include "protocol/handlersocket/reply_encoder.h"

namespace {
size_t allocations = 0;
size_t allocated_bytes = 0;
}  // namespace

void* operator new(size_t size) {
  ++allocations;
  allocated_bytes += size;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void* operator new[](size_t size) { return operator new(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }

namespace hs::protocol::handlersocket {
namespace {

using namespace std::string_literals;

std::vector<std::string> mixed_lines() {
  std::string in = "1\t=\t1\t\t1000\t0\t@\t0\t1000";
  for (int i = 0; i < 1000; ++i) in += "\tvalue\x01J" + std::to_string(i);
  return {"1\t=\t1\t12345",           "P\t1\tdb\ttable\tPRIMARY\ta,b,c",
          "1\t+\t3\ta\tb\x01Ic\t\0"s, "1\t=\t1\tk\t1\t0\tF\t=\t0\tv\tW\t>\t1\tw\tU?\ta\tb\x01J",
          "A\t1\tsec\x01Jret",        "bad",
          "1\t=\t1\tbad\x01",         in};
}

TEST(ParserMemory, SteadyStateAllocatesNothing) {
  const std::vector<std::string> lines = mixed_lines();
  Parser parser;
  for (const std::string& line : lines) (void)parser.parse(line);
  const size_t before = allocations;
  for (int i = 0; i < 100; ++i) {
    for (const std::string& line : lines) (void)parser.parse(line);
  }
  EXPECT_EQ(allocations, before);
}

TEST(ParserMemory, SteadyRepliesAllocateNothing) {
  Buffer target;
  ReplyEncoder encoder(1u << 20);
  encoder.set_target(target);
  const Value row[] = {Value::of("12345"), Value::null(), Value::of("a\tb")};
  size_t before = 0;
  for (int i = 0; i < 100; ++i) {
    if (i == 1) before = allocations;
    encoder.begin_rows(3);
    EXPECT_TRUE(encoder.row(row));
    encoder.end_rows();
    encoder.count(7);
    encoder.error({ErrorCode::kReadOnly, 0, {}});
    target.consume(target.size());
  }
  EXPECT_EQ(allocations, before);
}

TEST(ParserMemory, ParsingLeavesTheLineAsItIs) {
  Parser parser;
  for (const std::string& line : mixed_lines()) {
    const std::string copy = line;
    (void)parser.parse(line);
    EXPECT_EQ(line, copy);
  }
}

TEST(ParserMemory, ValuesWithoutEscapesAreViewsOfTheLine) {
  Parser parser;
  const std::string line = "1\t=\t2\tplain\tesc\x01Japed";
  const Request request = parser.parse(line);
  EXPECT_EQ(request.key[0].data, line.data() + 6);
  EXPECT_TRUE(request.key[1].data < line.data() || request.key[1].data > line.data() + line.size());
}

TEST(ParserMemory, AnnouncedCountsReserveNothing) {
  Parser parser;
  const size_t before = allocated_bytes;
  (void)parser.parse("1\t=\t1048576\ta");
  (void)parser.parse("1\t=\t1\tk\t1\t0\t@\t0\t1048576\ta\x01J");
  (void)parser.parse("1\t=\t4294967295\ta");
  EXPECT_LT(allocated_bytes - before, 1000u);
}

TEST(ParserMemory, AGiantRequestIsNotKept) {
  std::string giant = "1\t=\t1\tk\t1\t0";
  for (int i = 0; i < 100000; ++i) giant += "\tF\t=\t0\tv";
  giant += "\tU\t" + std::string(5u << 20, 'x') + "\x01J";
  for (int i = 0; i < 500000; ++i) giant += "\tv";
  Parser parser;
  ASSERT_EQ(parser.parse(giant).error, std::nullopt);
  EXPECT_GT(parser.scratch(), Parser::kKeptScratch);
  // The next request releases the memory.
  (void)parser.parse("1\t=\t1\tk");
  EXPECT_LE(parser.scratch(), Parser::kKeptScratch);
}

TEST(ParserMemory, ScratchIsInProportionToTheLine) {
  Parser parser;
  const std::string line = "1\t+\t1\t" + std::string(100000, 'x') + "\x01J";
  ASSERT_EQ(parser.parse(line).error, std::nullopt);
  EXPECT_LE(parser.scratch(), line.size() + 1000);
}

}  // namespace
}  // namespace hs::protocol::handlersocket
