#include "testing/condition.h"

namespace hs::testing {
namespace {

template <class T>
int order(const T& a, const T& b) {
  if (a == b) return 0;
  return a < b ? -1 : 1;
}

}  // namespace

Condition::Condition(ColumnType type, FilterOperator op, const Value& value)
    : op_(op), is_null_(value.is_null()) {
  if (type == ColumnType::kText) {
    text_ = value.text();
  } else {
    number_ = leading_number(value.text());
  }
}

int Condition::compare(const Cell& cell) const {
  const bool cell_is_null = cell == Cell();
  if (cell_is_null || is_null_) return order(is_null_, cell_is_null);
  if (const int64_t* number = std::get_if<int64_t>(&cell)) {
    return order(static_cast<double>(*number), number_);
  }
  if (const double* number = std::get_if<double>(&cell)) return order(*number, number_);
  return order(std::get<std::string>(cell), text_);
}

bool Condition::holds(const Cell& cell) const {
  const int compared = compare(cell);
  switch (op_) {
    case FilterOperator::kEqual:
      return compared == 0;
    case FilterOperator::kNotEqual:
      return compared != 0;
    case FilterOperator::kGreater:
      return compared > 0;
    case FilterOperator::kGreaterOrEqual:
      return compared >= 0;
    case FilterOperator::kLess:
      return compared < 0;
    case FilterOperator::kLessOrEqual:
      return compared <= 0;
  }
  return false;
}

}  // namespace hs::testing
