// SPDX-License-Identifier: GPL-2.0-only
// Makes KILL have no effect on a thread that waits for room on a full disk.
//
// The server tries a write of the binary log again each minute until there is room. When its thread
// is killed, a connection of the server gives up, which leaves half of an event in the log. A
// killed thread of this plugin would try again without a pause, and fill the error log. So it
// forgets the KILL and waits on.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <mysys_err.h>

namespace hs::mariadb {

class FullDiskHandler final : public Internal_error_handler {
 public:
  // Called with the message that the server logs before it waits.
  bool handle_condition(THD* thd, uint number, const char*, Sql_condition::enum_warning_level*,
                        const char*, Sql_condition**) override {
    if (number == EE_DISK_FULL) thd->reset_killed();
    return false;
  }
};

}  // namespace hs::mariadb
