#include "testing/condition.h"

#include <gtest/gtest.h>

namespace hs::testing {
namespace {

constexpr FilterOperator kOperators[] = {FilterOperator::kEqual,   FilterOperator::kNotEqual,
                                         FilterOperator::kGreater, FilterOperator::kGreaterOrEqual,
                                         FilterOperator::kLess,    FilterOperator::kLessOrEqual};

// The operators that hold between the cell and the value, e.g. "!= > >=".
std::string holding(ColumnType type, const Cell& cell, const Value& value) {
  constexpr const char* kNames[] = {"=", "!=", ">", ">=", "<", "<="};
  std::string names;
  for (const FilterOperator op : kOperators) {
    if (!Condition(type, op, value).holds(cell)) continue;
    if (!names.empty()) names += ' ';
    names += kNames[static_cast<size_t>(op)];
  }
  return names;
}

constexpr const char* kLess = "!= < <=";
constexpr const char* kEqual = "= >= <=";
constexpr const char* kGreater = "!= > >=";

TEST(Condition, ComparesNumbersAsNumbers) {
  const auto compare = [](int64_t cell, const char* value) {
    return holding(ColumnType::kInt, Cell(cell), Value::of(value));
  };
  EXPECT_EQ(compare(9, "10"), kLess);
  EXPECT_EQ(compare(10, "10"), kEqual);
  EXPECT_EQ(compare(10, "9"), kGreater);
  EXPECT_EQ(compare(-2, "-1"), kLess);
  EXPECT_EQ(compare(2147483647, "99999999999999999999"), kLess);
  EXPECT_EQ(compare(1, "1.5"), kLess);
  EXPECT_EQ(compare(1, " +1.0x"), kEqual);
  for (const char* zero : {"", "x", "-", "inf", "nan"}) EXPECT_EQ(compare(0, zero), kEqual) << zero;
}

TEST(Condition, ComparesTextsAsBytes) {
  const auto compare = [](const char* cell, const char* value) {
    return holding(ColumnType::kText, Cell(std::string(cell)), Value::of(value));
  };
  EXPECT_EQ(compare("10", "9"), kLess);
  EXPECT_EQ(compare("a", "a"), kEqual);
  EXPECT_EQ(compare("a", "A"), kGreater);
  EXPECT_EQ(compare("", "a"), kLess);
  EXPECT_EQ(compare("\xff", "a"), kGreater);
}

TEST(Condition, NullIsOnlyEqualToItselfAndLessThanAllElse) {
  for (const ColumnType type : {ColumnType::kInt, ColumnType::kText}) {
    EXPECT_EQ(holding(type, Cell(), Value::null()), kEqual);
    EXPECT_EQ(holding(type, Cell(), Value::of("")), kLess);
  }
  EXPECT_EQ(holding(ColumnType::kInt, Cell(int64_t{-5}), Value::null()), kGreater);
  EXPECT_EQ(holding(ColumnType::kText, Cell(std::string()), Value::null()), kGreater);
}

}  // namespace
}  // namespace hs::testing
