#include "adapter/key_bounds.h"

#include <gtest/gtest.h>

namespace hs::adapter {
namespace {

constexpr KeyOperator kRanges[] = {KeyOperator::kGreater, KeyOperator::kGreaterOrEqual,
                                   KeyOperator::kLess, KeyOperator::kLessOrEqual};

// A column holds even numbers only, and a client's bound is any number.
bool is_in_range(KeyOperator op, int row, int bound) {
  return meets(filter_operator(op, false), row - bound);
}

TEST(KeyBounds, ARangeBesideTheValueThatIsHeldHasTheRowsOfTheClientsRange) {
  for (const KeyOperator op : kRanges)
    for (const int side : {-1, 0, 1})
      for (int row = -4; row <= 4; row += 2) {
        constexpr int kHeld = 0;
        const int wanted = kHeld - side;
        EXPECT_EQ(is_in_range(beside(op, side), row, kHeld), is_in_range(op, row, wanted))
            << static_cast<int>(op) << " " << side << " " << row;
      }
}

TEST(KeyBounds, AStrictRangeLeavesTheKeyOutAndNothingElse) {
  for (const KeyOperator op : kRanges)
    for (const int row : {-1, 0, 1})
      EXPECT_EQ(is_in_range(strict(op), row, 0), row != 0 && is_in_range(op, row, 0));
}

TEST(KeyBounds, InADescendingColumnWhatLiesBehindAKeyIsLess) {
  for (const KeyOperator op : kRanges)
    for (const int row : {-1, 0, 1})
      EXPECT_EQ(meets(filter_operator(op, true), row), meets(filter_operator(op, false), -row));
}

TEST(KeyBounds, AKeyThatMustBeEqualIsAConditionOfEquality) {
  for (const KeyOperator op : {KeyOperator::kEqual, KeyOperator::kEqualDescending})
    for (const bool descends : {false, true})
      EXPECT_EQ(filter_operator(op, descends), FilterOperator::kEqual);
}

TEST(KeyBounds, AConditionAndItsOppositeDivideTheRows) {
  using Op = FilterOperator;
  for (const int order : {-7, 0, 7}) {
    EXPECT_NE(meets(Op::kEqual, order), meets(Op::kNotEqual, order));
    EXPECT_NE(meets(Op::kGreater, order), meets(Op::kLessOrEqual, order));
    EXPECT_NE(meets(Op::kLess, order), meets(Op::kGreaterOrEqual, order));
  }
  EXPECT_TRUE(meets(Op::kEqual, 0));
  EXPECT_TRUE(meets(Op::kGreater, 7));
  EXPECT_TRUE(meets(Op::kLess, -7));
}

}  // namespace
}  // namespace hs::adapter
