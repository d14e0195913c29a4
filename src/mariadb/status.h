// SPDX-License-Identifier: GPL-2.0-only
// The numbers of SHOW GLOBAL STATUS LIKE 'handlersocket%' (seam/status.def).
#pragma once

#include "seam/library.h"

namespace hs::mariadb {

// Library::status; 0 while nothing runs.
unsigned long long status(seam::Status which);

}  // namespace hs::mariadb
