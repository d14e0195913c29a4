#include "target.h"

#include <algorithm>

namespace hs::bench {

void Tally::count_error(uint32_t key, std::string_view answer) {
  ++errors;
  if (!first_error.empty()) return;
  constexpr size_t kShown = 200;
  while (answer.ends_with('\n') || answer.ends_with('\r')) answer.remove_suffix(1);
  first_error = "the answer for " + std::to_string(key) + ": ";
  first_error += answer.substr(0, kShown);
}

void Tally::merge(const Tally& other) {
  latency.merge(other.latency);
  rows += other.rows;
  errors += other.errors;
  if (first_error.empty()) first_error = other.first_error;
  seconds = std::max(seconds, other.seconds);
}

}  // namespace hs::bench
