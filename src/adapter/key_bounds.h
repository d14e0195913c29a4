// Where the bounds of a range stand, whatever the server compares with.
#pragma once

#include "base/operator.h"

namespace hs::adapter {

// The condition on the whole values of rows that lie behind a key in the index, or before it.
// `descends`: the index has the column in descending order.
FilterOperator filter_operator(KeyOperator op, bool descends);

// Where a range starts when the last key part holds another value than the client's: one that lies
// on `side` of it in the order of the index (-1 below, 0 at the same place, 1 above).
KeyOperator beside(KeyOperator op, int side);

// The same range without the rows of the key itself.
KeyOperator strict(KeyOperator op);

// Whether a row meets the condition. `order`: its value compared with the client's, negative, 0 or
// positive.
inline bool meets(FilterOperator op, int order) {
  switch (op) {
    case FilterOperator::kEqual:
      return order == 0;
    case FilterOperator::kNotEqual:
      return order != 0;
    case FilterOperator::kGreater:
      return order > 0;
    case FilterOperator::kGreaterOrEqual:
      return order >= 0;
    case FilterOperator::kLess:
      return order < 0;
    case FilterOperator::kLessOrEqual:
      return order <= 0;
  }
  return false;
}

}  // namespace hs::adapter
