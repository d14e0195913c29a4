// Numbers for columns that count the versions of a row (Mapping::cas).
#pragma once

#include <cstdint>

namespace hs::mapping {

// Never the same twice in this process, and not again after a restart, as long as the clock is not
// set back: microseconds since 1970, or a little more. Fits a signed column of 64 bits. Any thread.
uint64_t next_version();

}  // namespace hs::mapping
