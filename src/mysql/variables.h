// SPDX-License-Identifier: GPL-2.0-only
// The plugin's system variables. What they are is in one table, in variables.cc.
#pragma once

#include "mysql/server_headers.h"
// (before anything else)
namespace hs::mysql {

extern SYS_VAR* system_variables[];

// The character set that values have on the wire (handlersocket_character_set).
const CHARSET_INFO* value_charset_of_the_wire();

// How many seconds a request waits for a table, at present. Any thread.
unsigned lock_timeout_s();
// handlersocket_ttl_purge_rows
unsigned purge_rows_per_second();

// handlersocket_verbose, which may change at any time.
unsigned verbosity();

}  // namespace hs::mysql
