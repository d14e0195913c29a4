// SPDX-License-Identifier: GPL-2.0-only
// Names of databases and tables, as clients send them and as the server files them.
#pragma once

#include "mysql/server_headers.h"
// (before anything else)
#include <string>
#include <string_view>

namespace hs::mysql {

// The name as the server uses it for files: in lower case if lower_case_table_names says so.
std::string filed_name(const std::string& name);

// Whether a database or a table can have this name.
bool is_valid_name(std::string_view name);

}  // namespace hs::mysql
