// The new values of the rows of `+` and `-`.
#pragma once

#include <span>
#include <string>

#include "base/operator.h"
#include "engine/cursor.h"
#include "exec/scratch.h"

namespace hs::exec {

class Increment {
 public:
  // `cursor` and `scratch` must outlive the object. Nothing else may use the scratch meanwhile.
  // `only_integers`: as Request::counts_integers.
  Increment(engine::Cursor& cursor, Scratch& scratch, bool only_integers)
      : cursor_(cursor), scratch_(scratch), only_integers_(only_integers) {}

  // Reads the operands, one for each column. NULL: the column is to be left alone. Errors:
  // kNotANumber when one of the others is of a type that cannot be counted; kNumber.
  Result<void> prepare(Modification modification, std::span<const std::string> columns,
                       std::span<const Value> operands);

  // Computes the new values of the cursor's row from its columns. A column that is NULL is left alone. A
  // column that is listed twice is counted twice, as by SQL. False: the row is left alone, since
  // `-` would take one of its columns across zero. Errors: kNotANumber; with `only_integers`
  // kNumber, too.
  Result<bool> compute(std::span<const Value> row);

  // The result of the last compute() that returned true; valid until the next. Empty: all columns
  // are left alone.
  std::span<const engine::Cursor::Assignment> assignments() const { return scratch_.assignments; }

 private:
  void find_repeated(std::span<const std::string> columns);
  Result<Signs> add_to_text(Scratch::Count& count, std::string_view old);
  Result<Signs> add_to_real(Scratch::Count& count);

  engine::Cursor& cursor_;
  Scratch& scratch_;
  const bool only_integers_;
  bool may_cross_zero_ = true;
};

}  // namespace hs::exec
