// SPDX-License-Identifier: GPL-2.0-only
// The plugin's system variables. Everything about them is read from one table, in variables.cc.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <optional>
#include <string>

#include "server/server.h"

namespace hs::mariadb {

extern st_mysql_sys_var* system_variables[];

// The server's configuration by the present values of the variables, with the secrets from the
// files that they name. Empty: *error says in one sentence what is wrong.
std::optional<server::Config> read_configuration(std::string* error);

// The character set that values have on the wire (handlersocket_character_set).
CHARSET_INFO* value_charset_of_the_wire();

// How many seconds a request waits for a table, at present. Any thread.
unsigned lock_timeout_s();

// handlersocket_verbose, which may change at any time.
unsigned verbosity();

// Replaces the secrets that SHOW VARIABLES would show. Call it after read_configuration().
void hide_secrets();
// Undoes it, when the plugin ends: its file may stay loaded and be used again.
void forget_secrets();

}  // namespace hs::mariadb
