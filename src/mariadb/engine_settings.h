// SPDX-License-Identifier: GPL-2.0-only
// Settings of engines that do with a session of SQL what its user knows of, and with the sessions of the
// ports what no client knows of.
#pragma once

#include "mariadb/server_headers.h"

namespace hs::mariadb {

// Switches them off for the session, which has just taken the global settings.
//   rocksdb_bulk_load             new rows are there when the session ends, or switches it off: these
//                                 sessions last, and so may a crash find none of what was answered
//   rocksdb_commit_in_the_middle  changes stay that fail later, or are rolled back
//   rocksdb_master_skip_tx_api    rows are not locked, so a change undoes another of the same row, and two
//                                 inserts of one key succeed
void switch_off_engine_settings(THD* thd);

}  // namespace hs::mariadb
