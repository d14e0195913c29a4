// SPDX-License-Identifier: GPL-2.0-only
// What the system variables are set to (seam/variables.def says what they are).
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <string>

#include "seam/library.h"

namespace hs::mariadb {

// Those of the loader; without one (tools/moving_session) all have their defaults.
seam::Values& values();
void use_values_of(const seam::Host& host);
void use_own_values();

// Makes `text`, which malloc() has made or is null, the value of a text of the loader's.
void keep_text(char** variable, char* text);

// A text that is null is an empty one.
inline std::string text(const char* value) { return value != nullptr ? value : ""; }

// The character set that values have on the wire (handlersocket_character_set).
CHARSET_INFO* value_charset_of_the_wire();

// How many seconds a request waits for a table, at present. Any thread.
unsigned lock_timeout_s();
// handlersocket_ttl_purge_rows
unsigned purge_rows_per_second();

// handlersocket_verbose, which may change at any time.
unsigned verbosity();

}  // namespace hs::mariadb
