#include "adapter/key_bounds.h"

namespace hs::adapter {
namespace {

bool ascends(KeyOperator op) {
  return op == KeyOperator::kGreater || op == KeyOperator::kGreaterOrEqual;
}

}  // namespace

FilterOperator filter_operator(KeyOperator op, bool descends) {
  switch (op) {
    case KeyOperator::kEqual:
    case KeyOperator::kEqualDescending:
      break;
    case KeyOperator::kGreater:
      return descends ? FilterOperator::kLess : FilterOperator::kGreater;
    case KeyOperator::kGreaterOrEqual:
      return descends ? FilterOperator::kLessOrEqual : FilterOperator::kGreaterOrEqual;
    case KeyOperator::kLess:
      return descends ? FilterOperator::kGreater : FilterOperator::kLess;
    case KeyOperator::kLessOrEqual:
      return descends ? FilterOperator::kGreaterOrEqual : FilterOperator::kLessOrEqual;
  }
  return FilterOperator::kEqual;
}

KeyOperator beside(KeyOperator op, int side) {
  if (side == 0) return op;
  if (ascends(op)) return side < 0 ? KeyOperator::kGreater : KeyOperator::kGreaterOrEqual;
  return side < 0 ? KeyOperator::kLessOrEqual : KeyOperator::kLess;
}

KeyOperator strict(KeyOperator op) {
  return ascends(op) ? KeyOperator::kGreater : KeyOperator::kLess;
}

}  // namespace hs::adapter
