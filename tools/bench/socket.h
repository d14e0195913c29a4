// A connection to a server, as a descriptor.
#ifndef HS_TOOLS_BENCH_SOCKET_H_
#define HS_TOOLS_BENCH_SOCKET_H_

#include <string>

#include "target.h"

namespace hs::bench {

// `what` was tried, with the text of errno behind it.
std::string system_error(const std::string& what);

// A connected stream socket that blocks, without Nagle's algorithm. Throws Failure.
int connect_to(const Place& place);

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_SOCKET_H_
