// SPDX-License-Identifier: GPL-2.0-only
// Why the server takes no changes at present, whatever table they are for.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <optional>

#include "base/result.h"
#include "engine/engine.h"

namespace hs::mariadb {

// None for reading. Ask again for each request: the answer may change while tables are open.
// `ignores_read_only`: the request's account may write although the server is read_only.
std::optional<Error> refusal(engine::Access access, bool ignores_read_only);

// Whether the server goes on without its binary log. It does so by itself when it cannot open the
// log's next file. From then on replicas and recovery would miss every change.
bool log_was_switched_off();

// The error of a change in that case. Writes it to the error log once, too.
Error log_is_off();

}  // namespace hs::mariadb
