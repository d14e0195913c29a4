// SPDX-License-Identifier: GPL-2.0-only
// The places where the server itself listens.
#pragma once

#include <string>

#include "server/config.h"

namespace hs::mysql {

// Whether no endpoint has a port or a socket of the server's own. The plugin binds first when the
// server loads it at start, and the server would end then. False: *error is one sentence.
bool leaves_places_to_server(const server::Config& config, std::string* error);

}  // namespace hs::mysql
