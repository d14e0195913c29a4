// How a fuzzer states what must always hold.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace hs::fuzz {

inline void require(bool invariant, const char* what) {
  if (invariant) return;
  std::fprintf(stderr, "broken invariant: %s\n", what);
  std::abort();
}

}  // namespace hs::fuzz
