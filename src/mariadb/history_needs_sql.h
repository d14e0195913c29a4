// SPDX-License-Identifier: GPL-2.0-only
// Tables whose changes cannot be made without the SQL layer, for those that a client writes and
// those that triggers write.
#pragma once

#include "mariadb/server_headers.h"

namespace hs::mariadb {

// The SQL layer switches partitions of history by their size. And it logs changes of tables that
// keep transaction ids as statements, never as rows.
inline bool history_needs_sql(const TABLE* table) {
  return (table->versioned() && table->part_info != nullptr) ||
         (table->versioned(VERS_TRX_ID) && mysql_bin_log.is_open());
}

}  // namespace hs::mariadb
