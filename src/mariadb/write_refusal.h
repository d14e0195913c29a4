// SPDX-License-Identifier: GPL-2.0-only
// Why the server as it is now takes no changes, whatever table they are for.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <optional>

#include "base/result.h"
#include "engine/engine.h"

namespace hs::mariadb {

// None for reading. Not to be kept: all of it may change while tables are open.
std::optional<Error> refusal(engine::Access access);

// The server itself goes on without its binary log after an error that it cannot mend: when it
// could not open the next file. From there on replicas and recovery would miss every change.
bool log_was_switched_off();

// The error of a change then. Says so in the error log, once.
Error log_is_off();

}  // namespace hs::mariadb
