// Clocks that only grow. Any thread.
#pragma once

#include <cstdint>

namespace hs {

// Milliseconds, to a few milliseconds, at the cost of a function call.
int64_t monotonic_ms();

// Nanoseconds, to a few dozen of them.
int64_t monotonic_ns();

}  // namespace hs
