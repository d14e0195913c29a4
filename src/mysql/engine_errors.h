// SPDX-License-Identifier: GPL-2.0-only
// The numbers of the storage engine's errors as clients know them, which are those of MariaDB.
#pragma once

#include "mysql/server_headers.h"

namespace hs::mysql {

// Up to HA_ERR_TABLE_READONLY (161) both servers have the same numbers.
int number_on_the_wire(int number);

}  // namespace hs::mysql
