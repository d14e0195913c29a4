// What stays the same for all requests of one group of threads. Read-only.
#pragma once

#include "base/clock.h"
#include "base/limits.h"
#include "engine/engine.h"

namespace hs::exec {

struct Context {
  engine::Mode mode = engine::Mode::kReadOnly;
  Limits limits;
  int64_t (*now_ns)() = monotonic_ns;  // the clock that work is measured with
};

}  // namespace hs::exec
