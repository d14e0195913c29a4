// The steps of a log-linear histogram: up to 2^kStepBits units each value has a step of its own,
// and behind that every doubling is cut into 2^kStepBits steps. A value is known to one part in
// 2^kStepBits, or to a unit, which is 2^kUnitBits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace hs {

template <unsigned kUnitBits, unsigned kStepBits, size_t kDoublings>
struct LogSteps {
  static constexpr size_t kSteps = (kDoublings + 1) << kStepBits;

  // The step that counts a value. What is greater than all counts in the last one.
  static constexpr size_t step_of(uint64_t value) {
    const uint64_t units = value >> kUnitBits;
    if (units < kFirst) return units;
    const auto doublings = static_cast<unsigned>(std::bit_width(units)) - kStepBits - 1;
    const size_t step = (static_cast<size_t>(doublings) << kStepBits) + (units >> doublings);
    return step < kSteps ? step : kSteps - 1;
  }

  // The greatest value of the step, but for those that count in the last one.
  static constexpr uint64_t last_of(size_t step) {
    if (step < kFirst) return ((uint64_t{step} + 1) << kUnitBits) - 1;
    const size_t doublings = (step >> kStepBits) - 1;
    return ((uint64_t{step - (doublings << kStepBits)} + 1) << doublings << kUnitBits) - 1;
  }

 private:
  static constexpr uint64_t kFirst = uint64_t{1} << kStepBits;
};

}  // namespace hs
