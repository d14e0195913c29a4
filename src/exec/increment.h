// The new values of the rows of `+` and `-`.
#pragma once

#include <span>
#include <string>

#include "base/operator.h"
#include "exec/scratch.h"

namespace hs::exec {

class Increment {
 public:
  // `scratch` must outlive it and is used by nothing else meanwhile.
  explicit Increment(Scratch& scratch) : scratch_(scratch) {}

  // Reads the operands: one for each of the columns, NULL for one that is to be left alone. Errors:
  // kNumber.
  Result<void> prepare(Modification modification, std::span<const std::string> columns,
                       std::span<const Value> operands);

  // Computes what becomes of a row, given its columns. One that is NULL is left alone; one that is
  // listed twice is counted twice, as by SQL. False: the row is left alone, since `-` would take
  // one of its columns across zero. Errors: kNotANumber.
  Result<bool> compute(std::span<const Value> row);

  // Of the last compute() that was true; valid until the next. Empty: all columns are left alone.
  std::span<const engine::Cursor::Assignment> assignments() const { return scratch_.assignments; }

 private:
  void find_repeated(std::span<const std::string> columns);

  Scratch& scratch_;
  bool may_cross_zero_ = true;
};

}  // namespace hs::exec
