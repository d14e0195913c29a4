// The new values of the rows of `+` and `-`.
#pragma once

#include "base/operator.h"
#include "exec/scratch.h"

namespace hs::exec {

class Increment {
 public:
  // `scratch` must outlive it and is used by nothing else meanwhile.
  explicit Increment(Scratch& scratch) : scratch_(scratch) {}

  // Reads the operands: one for each column, NULL for one that is to be left alone. Errors:
  // kNumber.
  Result<void> prepare(Modification modification, std::span<const Value> operands);

  // Computes what becomes of a row, given its columns. A column that is NULL is left alone. False:
  // the row is, since `-` would take one of its columns across zero. Errors: kNotANumber.
  Result<bool> compute(std::span<const Value> row);

  // Of the last compute() that was true; valid until the next. Empty: all columns are left alone.
  std::span<const engine::Cursor::Assignment> assignments() const { return scratch_.assignments; }

 private:
  Scratch& scratch_;
  bool may_cross_zero_ = true;
};

}  // namespace hs::exec
