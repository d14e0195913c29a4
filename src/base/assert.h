// HS_ASSERT(condition): what a header promises, or asks of its callers. Only a mistake in this
// program can break it: never for what a client, a file or the system may do.
//
// Checked in the builds for tests (CMAKE_BUILD_TYPE Debug: dev, tsan, asan-server, fuzz), where a
// false condition ends the program. A release evaluates nothing, since it runs in a database.
//
// Not assert(): src/mariadb is compiled with NDEBUG in all builds, since that decides the layout of
// the server's structures.
#pragma once

#ifdef HS_ASSERTS

#include <cstdio>
#include <cstdlib>

namespace hs {

[[noreturn]] inline void broken_invariant(const char* what, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: broken invariant: %s\n", file, line, what);
  std::abort();
}

}  // namespace hs

#define HS_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : hs::broken_invariant(#condition, __FILE__, __LINE__))

#else

// Compiles the condition, so that it stays valid and its names count as used.
#define HS_ASSERT(condition) static_cast<void>(sizeof(static_cast<bool>(condition)))

#endif
