// What was done through the ports, as the operator sees it: by index, and how long it took.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/latency.h"
#include "engine/engine.h"
#include "server/request_kind.h"

namespace hs::server {

// An index that connections of one mode have open.
struct IndexStatus {
  engine::Mode mode = engine::Mode::kReadOnly;
  engine::IndexSpecPtr spec;
  uint64_t connections = 0;  // that have it open; under two ids it counts twice
  uint64_t requests = 0;     // on it, by connections that are gone, too
  uint64_t rows = 0;         // found or changed by them
};

// How long the requests of one mode took, by kind.
struct LatencyStatus {
  engine::Mode mode = engine::Mode::kReadOnly;
  std::array<LatencySum, kRequestKinds> kinds;
};

}  // namespace hs::server
