// SPDX-License-Identifier: GPL-2.0-only
// Why the server takes no changes at present, whatever table they are for.
#pragma once

#include <optional>

#include "base/result.h"
#include "engine/cursor.h"

namespace hs::in_server {

// None for reading. Ask again for each request: the answer may change while tables are open.
// `ignores_read_only`: the request's account may write although the server is read_only.
std::optional<Error> refusal(engine::Access access, bool ignores_read_only = false);

// Whether the server goes on without its binary log. It does so by itself when it cannot write the log:
// MariaDB when it cannot open the next file, MySQL with binlog_error_action = IGNORE_ERROR. From then on
// replicas and recovery would miss every change.
bool log_was_switched_off();

// The error of a change in that case. Writes it to the error log once, too.
Error log_is_off();

}  // namespace hs::in_server
