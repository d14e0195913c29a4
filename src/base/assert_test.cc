// Broken contracts end a build for tests, and cost a release nothing.
#include "base/assert.h"

#include <gtest/gtest.h>

#include "base/buffer.h"
#include "base/intrusive_list.h"
#include "base/memory.h"
#include "base/result.h"

namespace hs {
namespace {

struct Tag {};
struct Element : ListHook<Tag> {};

#ifdef HS_ASSERTS

class BrokenContract : public ::testing::Test {
 protected:
  BrokenContract() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(BrokenContract, OfABufferEndsTheProgram) {
  Buffer buffer;
  buffer.append("abc");
  EXPECT_DEATH(buffer.consume(4), "broken invariant: bytes <= size");
  EXPECT_DEATH(buffer.truncate(4), "broken invariant: bytes <= size");
  EXPECT_DEATH(buffer.commit(buffer.writable() + 1), "broken invariant: bytes <= writable");
}

TEST_F(BrokenContract, OfAListEndsTheProgram) {
  IntrusiveList<Element, Tag> list;
  EXPECT_DEATH(list.front(), "broken invariant: !empty");
  EXPECT_DEATH(list.pop_front(), "broken invariant: !empty");
}

TEST_F(BrokenContract, OfMemoryEndsTheProgram) {
  Memory memory(0);
  ASSERT_TRUE(memory.take(5, 5, true));
  EXPECT_DEATH(memory.give_back(6), "broken invariant: bytes <= before");
}

TEST_F(BrokenContract, OfAResultEndsTheProgram) {
  Result<int> good = 1;
  Result<int> bad = ErrorCode::kCommand;
  EXPECT_DEATH(static_cast<void>(good.error()), "broken invariant: !has_value_");
  EXPECT_DEATH(static_cast<void>(bad.value()), "broken invariant: has_value_");
}

#else

TEST(Assert, EvaluatesNothingInARelease) {
  int evaluated = 0;
  HS_ASSERT(++evaluated == 0);
  EXPECT_EQ(evaluated, 0);
}

#endif

TEST(Assert, LetsWhatHoldsPass) {
  HS_ASSERT(1 + 1 == 2);
  IntrusiveList<Element, Tag> list;
  Element element;
  list.push_back(element);
  EXPECT_EQ(&list.front(), &element);
}

}  // namespace
}  // namespace hs
