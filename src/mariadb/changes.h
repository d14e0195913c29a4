// SPDX-License-Identifier: GPL-2.0-only
// What happens when a system variable is set at run time.
//
// The server calls update() with LOCK_global_system_variables, which every new connection of SQL
// needs. So it is given back while a change may take time. A failure is reported as an error of the
// SET, and the variable stays as it was.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <mutex>

#include "seam/library.h"

namespace hs::mariadb {

// Held by who changes the variables, and by a start, which reads them.
std::mutex& turns();

// Library::update
void update(seam::Variable which, void* target, const void* value);

// Library::check_secret: keeps only the digest, for update().
bool check_secret(THD* thd, const char* text, size_t size, const void** kept);

// Library::kill_connection
bool kill_connection(unsigned long long id);

}  // namespace hs::mariadb
