// Clocks that only grow, and the time of day. Any thread.
#pragma once

#include <cstdint>

namespace hs {

// Milliseconds, exact to a few of them. Costs a function call.
int64_t monotonic_ms();

// Milliseconds since 1970, as the system's clock says. It may go back.
int64_t wall_ms();

// Nanoseconds, exact to a few dozen of them.
int64_t monotonic_ns();

}  // namespace hs
