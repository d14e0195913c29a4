// SPDX-License-Identifier: GPL-2.0-only
// How long engines wait for the lock of a row. Each engine has a variable for it, of which every session
// has its own value.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace hs::mariadb {

// Of one session; used by the thread that the session is in.
class RowWaits {
 public:
  // Notes the values that the session has, after it took those of the server, and returns the longest,
  // in seconds. An engine can have come or gone since the last call.
  uint32_t take(THD* thd);
  // Each engine waits at most `most_s` seconds, and no longer than its value was in take(). With 0 a lock
  // that is not free is refused at once. That is less than a SET allows in MyRocks, but not less than the
  // engine can do.
  void limit(THD* thd, uint32_t most_s);

 private:
  struct Wait {
    std::string_view variable;
    // Where the value is among those of plugins, since the server moves all of them when a plugin is
    // installed. Nothing while there is no such engine.
    std::optional<size_t> offset = std::nullopt;
    bool is_long = false;  // an unsigned long, else an unsigned int
    uint64_t usual_s = 0;
  };

  template <class Use>
  static void with_value(THD* thd, const Wait& wait, Use use);

  std::array<Wait, 2> waits_{
      {{.variable = "innodb_lock_wait_timeout"}, {.variable = "rocksdb_lock_wait_timeout"}}};
};

}  // namespace hs::mariadb
