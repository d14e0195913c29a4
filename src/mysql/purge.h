// SPDX-License-Identifier: GPL-2.0-only
// What deleting rows that have expired asks of this server.
#pragma once

#include <string_view>

#include "mapping/tables.h"

namespace hs::mysql {

class MysqlSession;

// Why it is another server that deletes them; empty: it is this one.
std::string_view reason_to_leave_rows();

// Whether there is such a table, and it is no view. In a session that is in the calling thread.
bool is_base_table(MysqlSession& session, const mapping::TableName& name);

}  // namespace hs::mysql
