// What HANDLERSOCKET_TTL in INFORMATION_SCHEMA shows: ttl_tables(), to those that see all.
#pragma once

#include "server/tables.h"

namespace hs::adapter {

extern const server::StatusTable kTtlTable;

}  // namespace hs::adapter
