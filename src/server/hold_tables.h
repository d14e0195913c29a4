// How long a session keeps its tables while no requests come.
#pragma once

#include <chrono>

namespace hs::server {

// While a client is at work, its requests rarely come further apart than this. A session that waits
// for tables that another one keeps waits this long at most, and only when it cannot be seen (see
// Session::after_batch).
constexpr std::chrono::milliseconds kHoldTables{10};

}  // namespace hs::server
