// Memory that requests use while they run, kept from one to the next so that the common ones
// allocate nothing. One for each worker; holds nothing between requests.
#pragma once

#include <string>
#include <vector>

#include "engine/port.h"
#include "exec/arithmetic.h"

namespace hs::exec {

struct Scratch {
  std::vector<engine::Cursor::Filter> filters;
  std::vector<engine::Cursor::Assignment> assignments;
  std::vector<std::optional<Amount>> amounts;
  std::string texts;  // of numbers, one behind the other
};

}  // namespace hs::exec
