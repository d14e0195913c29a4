// Clocks that only grow. Any thread.
#pragma once

#include <cstdint>

namespace hs {

// Milliseconds, exact to a few of them. Costs a function call.
int64_t monotonic_ms();

// Nanoseconds, exact to a few dozen of them.
int64_t monotonic_ns();

}  // namespace hs
