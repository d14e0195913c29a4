// SPDX-License-Identifier: GPL-2.0-only
// What KILL does to a thread that waits for room on a full disk: nothing.
//
// The server tries a write of the binary log again each minute until there is room. A killed thread
// of ours would try again without a pause, and write nothing but the error log. SQL's give up,
// which leaves half of an event in the log; ours wait on, as those do that nobody kills.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <mysys_err.h>

namespace hs::mariadb {

class FullDiskHandler final : public Internal_error_handler {
 public:
  // Called with what the server says before it waits.
  bool handle_condition(THD* thd, uint number, const char*, Sql_condition::enum_warning_level*,
                        const char*, Sql_condition**) override {
    if (number == EE_DISK_FULL) thd->reset_killed();
    return false;
  }
};

}  // namespace hs::mariadb
