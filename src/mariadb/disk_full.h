// SPDX-License-Identifier: GPL-2.0-only
// What a thread does that waits for room on a full disk: it tells that it waits, and KILL has no effect on it.
//
// The server does not report this wait. MyISAM and Aria wait so within a change, and other threads must
// go on with the connections meanwhile.
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

class ServerSession;

class FullDiskHandler final : public Internal_error_handler {
 public:
  explicit FullDiskHandler(ServerSession& session) : session_(session) {}
  // Called with the message that the server logs before it waits.
  bool handle_condition(THD* thd, uint number, const char*, Sql_condition::enum_warning_level*,
                        const char*, Sql_condition**) override;

 private:
  ServerSession& session_;
};

}  // namespace hs::mariadb
