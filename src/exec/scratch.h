// Memory that requests use while they run, kept from one to the next so that the common ones
// allocate nothing. One for each session. What is in it means nothing to the next request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/port.h"
#include "exec/arithmetic.h"

namespace hs::exec {

struct Scratch {
  // Called whenever so many rows more were visited, so that a long scan can let others go on.
  static constexpr uint32_t kManyRows = 10'000;
  std::function<void()> many_rows_visited;
  uint32_t rows_visited = 0;

  std::vector<engine::Cursor::Filter> filters;
  std::vector<engine::Cursor::Assignment> assignments;

  // One column of an increment that has an operand.
  struct Count {
    size_t column = 0;
    Amount amount;
    std::optional<size_t> previous;  // in counts: the same column, listed before
    size_t begin = 0, size = 0;      // of the sum, in sums
  };
  std::vector<Count> counts;
  std::vector<size_t> counts_by_name;
  std::string sums;  // one behind the other
};

}  // namespace hs::exec
