// SPDX-License-Identifier: GPL-2.0-only
// SHOW GLOBAL STATUS LIKE 'handlersocket%', as the server wants it declared.
#pragma once

#include "server_plugin.h"

namespace hs::loader {

extern StatusVariable status_variables[];

}  // namespace hs::loader
