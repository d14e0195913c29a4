// SPDX-License-Identifier: GPL-2.0-only
// The plugin's system variables: one table, in variables.cc, from which everything else is read.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <optional>
#include <string>

#include "server/server.h"

namespace hs::mariadb {

extern st_mysql_sys_var* system_variables[];

// The server's configuration as the variables have it now, with the secrets of the files that they
// name. Nothing: *error says in one sentence what is wrong with them.
std::optional<server::Config> read_configuration(std::string* error);

// The character set that values have on the wire (handlersocket_character_set).
CHARSET_INFO* value_charset_of_the_wire();

// Seconds that a request waits for a table.
unsigned lock_timeout_s();

// handlersocket_verbose, which may change at any time.
unsigned verbosity();

// Replaces the secrets that SHOW VARIABLES shows; call it after read_configuration().
void hide_secrets();

}  // namespace hs::mariadb
