#include "adapter/kept_cursors.h"

#include <gtest/gtest.h>

namespace hs::adapter {
namespace {

struct TestCursor {
  engine::IndexSpecPtr of;
  bool open = false;
  const engine::IndexSpecPtr& spec() const { return of; }
  bool is_open() const { return open; }
};

class KeptCursorsTest : public ::testing::Test {
 protected:
  static engine::IndexSpecPtr spec() { return std::make_shared<const engine::IndexSpec>(); }
  TestCursor& get(const engine::IndexSpecPtr& spec) {
    return cursors.get(spec, [&] {
      ++made;
      return std::make_unique<TestCursor>(TestCursor{spec});
    });
  }
  void open(TestCursor& cursor) {
    cursor.open = true;
    cursors.note_open(cursor);
  }

  KeptCursors<TestCursor> cursors;
  int made = 0;
};

TEST_F(KeptCursorsTest, ACursorIsMadeOnceForEachSpec) {
  const auto one = spec(), other = spec();
  TestCursor& cursor = get(one);
  EXPECT_EQ(&get(one), &cursor);
  EXPECT_NE(&get(other), &cursor) << "equal names, but another spec";
  EXPECT_EQ(made, 2);
}

TEST_F(KeptCursorsTest, OnlyACursorWithATableIsFoundOpen) {
  const auto one = spec(), other = spec();
  EXPECT_EQ(cursors.find_open(one), nullptr);
  TestCursor& cursor = get(one);
  EXPECT_EQ(cursors.find_open(one), nullptr);
  open(cursor);
  open(get(other));
  EXPECT_EQ(cursors.find_open(one), &cursor);
  EXPECT_EQ(cursors.find_open(other), &get(other));
  EXPECT_EQ(cursors.find_open(one), &cursor);
  cursor.open = false;
  EXPECT_EQ(cursors.find_open(one), nullptr);
}

TEST_F(KeptCursorsTest, TheOpenOnesAreThoseSinceAllWereClosed) {
  const auto one = spec(), other = spec();
  open(get(one));
  open(get(other));
  EXPECT_EQ(cursors.open().size(), 2u);
  cursors.note_all_closed();
  EXPECT_TRUE(cursors.open().empty());
  EXPECT_EQ(cursors.size(), 2u);
}

TEST_F(KeptCursorsTest, TooManyWithoutATableGoAndThoseWithOneStay) {
  const auto kept = spec();
  open(get(kept));
  std::vector<engine::IndexSpecPtr> specs;
  while (cursors.size() < KeptCursors<TestCursor>::kSweepAt) get(specs.emplace_back(spec()));
  EXPECT_EQ(cursors.find_open(specs.back()), nullptr);  // it was the last one that was asked for
  get(specs.emplace_back(spec()));
  EXPECT_EQ(cursors.size(), 2u);
  EXPECT_EQ(cursors.find_open(kept), &get(kept));
  EXPECT_EQ(cursors.find_open(specs.front()), nullptr);
  made = 0;
  get(specs.front());
  EXPECT_EQ(made, 1);
}

TEST_F(KeptCursorsTest, ManyNamesAreNotKeptWithoutATable) {
  engine::IndexSpec wide;
  wide.columns.assign(KeptCursors<TestCursor>::kMostNames, "c");
  const auto first = std::make_shared<const engine::IndexSpec>(wide);
  get(first);
  cursors.shrink();
  EXPECT_EQ(cursors.size(), 1u) << "as many names as may be";
  const auto second = std::make_shared<const engine::IndexSpec>(wide);
  open(get(second));
  cursors.shrink();
  EXPECT_EQ(cursors.size(), 1u);
  EXPECT_NE(cursors.find_open(second), nullptr);
  EXPECT_EQ(first.use_count(), 1) << "no cursor holds it";
}

}  // namespace
}  // namespace hs::adapter
