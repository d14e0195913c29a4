// SPDX-License-Identifier: GPL-2.0-only
// The kinds of values that fit() treats in files of their own.
#pragma once

#include "columns/fit.h"

namespace hs::columns {

// -1, 0 or 1 when a lies below, at or above b.
template <class T>
int order(const T& a, const T& b) {
  return a < b ? -1 : static_cast<int>(b < a);
}

// The field holds the value, or the nearest one.
inline Fit stored(bool exact, int side) {
  Fit fit;
  fit.exact = exact;
  fit.side = side;
  return fit;
}

// See fit_number.cc.
Fit fit_integer(Field* field, const Value& value);
Fit fit_decimal(Field* field, const Value& value);
Fit fit_real(Field_real* field, const Value& padded);  // FLOAT, DOUBLE
Fit fit_year(Field* field, const Value& padded);

// DATE, DATETIME, TIMESTAMP and TIME: in the dialect of each server.
Fit fit_time(Field* field, const Value& value);

}  // namespace hs::columns
