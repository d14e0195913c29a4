// SPDX-License-Identifier: GPL-2.0-only
// The server that this code runs in, by what its program exports. The loader is linked to nothing of
// it: a release that lacks one of these symbols must be able to load it all the same.
#pragma once

#include <string>
#include <string_view>

#include "loader/library_file.h"

class THD;

namespace hs::loader {

// Which one it is: not what --version says, but what its own plugins were built with.
Server host_server();

// Whether the program of Debian's package is another build than this server, as after an upgrade behind
// which it goes on.
bool has_other_program(const Server& server);

// The number that it wants of daemons and of tables in INFORMATION_SCHEMA: that of its own release.
int interface_version();

// Whether it only makes system tables (--bootstrap and mariadb-install-db; --initialize), or looks where
// its data ends, as each start of a node of a cluster does first (--wsrep-recover).
bool has_no_clients();

// A line of its error log.
void log_error(std::string_view text);
// Tells the client of the statement that runs in this thread, if there is one.
void raise_error(std::string_view text);
void raise_warning(std::string_view text);

// A copy of the text in the memory of the statement; null: there is no memory.
char* statement_copy(THD* thd, std::string_view text);

}  // namespace hs::loader
