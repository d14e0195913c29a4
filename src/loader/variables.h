// SPDX-License-Identifier: GPL-2.0-only
// The system variables, as the server wants them declared.
#pragma once

struct st_mysql_sys_var;

namespace hs::loader {

extern st_mysql_sys_var* system_variables[];

}  // namespace hs::loader
