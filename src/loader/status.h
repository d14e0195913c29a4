// SPDX-License-Identifier: GPL-2.0-only
// SHOW GLOBAL STATUS LIKE 'handlersocket%', as the server wants it declared.
#pragma once

struct st_mysql_show_var;

namespace hs::loader {

extern st_mysql_show_var status_variables[];

}  // namespace hs::loader
