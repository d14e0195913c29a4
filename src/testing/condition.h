// A filter on one column of the fake engine's tables.
#pragma once

#include <string>

#include "base/operator.h"
#include "testing/table.h"

namespace hs::testing {

// `column <op> value`. Numbers are compared as numbers, texts as bytes; NULL equals NULL and is
// less than everything else. As in SQL, a text counts as the number that it begins with, or as 0.
class Condition {
 public:
  Condition(ColumnType type, FilterOperator op, const Value& value);

  bool holds(const Cell& cell) const;

 private:
  int compare(const Cell& cell) const;  // of the cell with the value: < 0, 0, > 0

  FilterOperator op_;
  bool is_null_;
  double number_ = 0;  // holds every number of a column exactly
  std::string text_;
};

}  // namespace hs::testing
