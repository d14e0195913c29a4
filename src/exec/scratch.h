// Memory that requests use while they run. It is kept from one request to the next, so that common
// requests allocate nothing. One for each session. Its contents mean nothing to the
// next request, but for `acts_for_account`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/value.h"
#include "engine/cursor.h"
#include "exec/arithmetic.h"
#include "exec/meter.h"
#include "protocol/request.h"

namespace hs::exec {

struct Scratch {
  // `work` counts the work of all requests; it must outlive the scratch.
  explicit Scratch(Meter& work) : meter(work) {}

  Meter& meter;

  // The session acts for the account of the last request.
  bool acts_for_account = false;

  std::vector<engine::Cursor::Filter> filters;
  std::vector<engine::Cursor::Assignment> assignments;

  // One column of an increment that has an operand.
  struct Count {
    size_t column = 0;
    Amount amount;
    std::optional<size_t> previous;  // position in counts of the same column's earlier operand
    bool is_real = false;
    double real_amount = 0, real_sum = 0;
    size_t begin = 0, size = 0;  // of the sum, in sums
  };
  std::vector<Count> counts;
  std::vector<size_t> counts_by_name;
  std::string sums;  // one behind the other

  // Of a command: its present request. To clear one takes a part of the time of a lookup.
  protocol::Request request;
  // Copies of its values with the moment at which the row expires.
  std::vector<Value> values, updates, row_key;
  std::string moment;
};

}  // namespace hs::exec
