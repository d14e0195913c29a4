#include "exec/meter.h"

#include <algorithm>

namespace hs::exec {
namespace {

// Units of work that take about kRequestNs.
constexpr size_t kLongWork = Meter::kRequestNs / 10;

// When this much time lies between two looks, a unit costs more here than it should (a partitioned
// table, a long text to compare). The next look then comes after fewer units.
constexpr int64_t kCoarseNs = Meter::kRequestNs / 4;
constexpr int32_t kFewer = 8;

}  // namespace

void Meter::expect(size_t units) {
  if (units < kLongWork) return add(static_cast<uint32_t>(units));
  if (options_.on_long_request) options_.on_long_request();
  add(kUnitsPerLook);
}

void Meter::look() {
  const int64_t now_ns = options_.now_ns();
  const bool is_coarse = looked_ns_ != kUnknown && now_ns - looked_ns_ >= kCoarseNs;
  units_per_look_ = is_coarse ? std::max(units_per_look_ / kFewer, 1)
                              : std::min(units_per_look_ * 2, kUnitsPerLook);
  left_ = units_per_look_;
  looked_ns_ = now_ns;

  if (batch_began_ns_ == kUnknown) batch_began_ns_ = now_ns;
  if (now_ns - batch_began_ns_ >= options_.batch_ns) batch_is_over_ = true;
  if (request_began_ns_ == kUnknown) request_began_ns_ = now_ns;
  if (now_ns - request_began_ns_ < kRequestNs) return;
  request_began_ns_ = now_ns;
  if (options_.on_long_request) options_.on_long_request();
}

}  // namespace hs::exec
