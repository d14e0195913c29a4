// The numbers of SHOW GLOBAL STATUS LIKE 'handlersocket%' (seam/status.def).
#pragma once

#include <atomic>
#include <cstdint>

#include "seam/library.h"

namespace hs::adapter {

// What all sessions have done with tables so far. Any thread.
struct TableCounters {
  std::atomic<uint64_t> table_open{0};    // tables opened
  std::atomic<uint64_t> table_close{0};   // how often a session gave back its tables
  std::atomic<uint64_t> table_lock{0};    // tables locked
  std::atomic<uint64_t> table_unlock{0};  // tables unlocked
};

// Library::status; 0 while nothing runs.
unsigned long long status(seam::Status which);

}  // namespace hs::adapter
