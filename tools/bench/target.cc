#include "target.h"

#include <algorithm>

namespace hs::bench {

void Tally::count_error(uint32_t key, const std::string& answer) {
  ++errors;
  if (first_error.empty()) first_error = "the answer for " + std::to_string(key) + ": " + answer;
}

void Tally::merge(const Tally& other) {
  latency.merge(other.latency);
  errors += other.errors;
  if (first_error.empty()) first_error = other.first_error;
  seconds = std::max(seconds, other.seconds);
}

}  // namespace hs::bench
