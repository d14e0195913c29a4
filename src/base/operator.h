// The comparisons that requests are made of.
#pragma once

#include <cstdint>

namespace hs {

// `index <op> key`: where a find starts and which way it goes.
enum class KeyOperator : uint8_t {
  kEqual,
  kEqualDescending,  // the rows of kEqual from the last one on
  kGreater,
  kGreaterOrEqual,
  kLess,
  kLessOrEqual
};

// `column <op> value` of a filter.
enum class FilterOperator : uint8_t {
  kEqual,
  kNotEqual,
  kGreater,
  kGreaterOrEqual,
  kLess,
  kLessOrEqual
};

// What a modify request does to each row it finds. kIncrement and kDecrement take integers, kAdd takes
// numbers with a point, too.
enum class Modification : uint8_t { kUpdate, kDelete, kIncrement, kDecrement, kAdd };

// Whether the new value is computed from the old one.
constexpr bool counts(Modification modification) {
  return modification == Modification::kIncrement || modification == Modification::kDecrement ||
         modification == Modification::kAdd;
}

}  // namespace hs
