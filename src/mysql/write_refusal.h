// SPDX-License-Identifier: GPL-2.0-only
// Why the server takes no changes at present, whatever table they are for.
#pragma once

#include "mysql/server_headers.h"
// (before anything else)
#include <optional>

#include "base/result.h"
#include "engine/engine.h"

namespace hs::mysql {

// None for reading. Ask again for each request: the answer may change while tables are open. super_read_only is among
// the reasons, and so is that the server goes on without its binary log.
std::optional<Error> refusal(engine::Access access);

// Whether the server goes on without its binary log, as it does with binlog_error_action = IGNORE_ERROR
// when it cannot write it. From then on replicas and recovery would miss every change.
bool log_was_switched_off();

// The error of a change in that case. Writes it to the error log once, too.
Error log_is_off();

}  // namespace hs::mysql
