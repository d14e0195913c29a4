// SPDX-License-Identifier: GPL-2.0-only
// SHOW GLOBAL STATUS LIKE 'handlersocket%'.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include "mariadb/engine.h"
#include "server/server.h"

namespace hs::mariadb {

extern st_mysql_show_var status_variables[];

// The objects whose numbers are shown; null: none. The server calls the variables' functions only
// while the plugin is active. Both objects must outlive that.
void show_status_of(server::Server* server, MariaEngine* engine);

}  // namespace hs::mariadb
