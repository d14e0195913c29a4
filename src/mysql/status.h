// SPDX-License-Identifier: GPL-2.0-only
// SHOW GLOBAL STATUS LIKE 'handlersocket%'.
#pragma once

#include "mysql/server_headers.h"
// (before anything else)
#include "mysql/engine.h"
#include "server/server.h"

namespace hs::mysql {

extern SHOW_VAR status_variables[];

// The objects whose numbers are shown; null: none. The server calls the variables' functions only
// while the plugin is active. Both objects must outlive that.
void show_status_of(server::Server* server, MysqlEngine* engine);

}  // namespace hs::mysql
