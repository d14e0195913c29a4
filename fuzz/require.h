// How a fuzzer states what must always hold, and how one proves that it would find a bug.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace hs::fuzz {

inline void require(bool invariant, const char* what) {
  if (invariant) return;
  std::fprintf(stderr, "broken invariant: %s\n", what);
  std::abort();
}

// Whether to behave as if there was a bug: the environment has HS_FUZZ_CANARY.
inline bool has_planted_bug() {
  static const bool planted = std::getenv("HS_FUZZ_CANARY") != nullptr;
  return planted;
}

}  // namespace hs::fuzz
