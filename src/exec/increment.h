// The new values of the rows of `+` and `-`.
#pragma once

#include <span>
#include <string>

#include "base/operator.h"
#include "exec/scratch.h"

namespace hs::exec {

class Increment {
 public:
  // `scratch` must outlive the object. Nothing else may use it meanwhile.
  explicit Increment(Scratch& scratch) : scratch_(scratch) {}

  // Reads the operands, one for each column. NULL: the column is to be left alone. Errors: kNumber.
  Result<void> prepare(Modification modification, std::span<const std::string> columns,
                       std::span<const Value> operands);

  // Computes the new values of a row from its columns. A column that is NULL is left alone. A
  // column that is listed twice is counted twice, as by SQL. False: the row is left alone, since
  // `-` would take one of its columns across zero. Errors: kNotANumber.
  Result<bool> compute(std::span<const Value> row);

  // The result of the last compute() that returned true; valid until the next. Empty: all columns
  // are left alone.
  std::span<const engine::Cursor::Assignment> assignments() const { return scratch_.assignments; }

 private:
  void find_repeated(std::span<const std::string> columns);

  Scratch& scratch_;
  bool may_cross_zero_ = true;
};

}  // namespace hs::exec
