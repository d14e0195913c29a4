// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/engine_settings.h"
// (before anything else)
#include <array>
#include <string_view>

namespace hs::mariadb {

void switch_off_engine_settings(THD* thd) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"rocksdb_bulk_load", "rocksdb_commit_in_the_middle", "rocksdb_master_skip_tx_api"});
  for (const std::string_view name : kNames) {
    sys_var* const variable = find_sys_var(thd, name.data(), name.size(), false);
    // They are booleans, of one byte.
    if (variable != nullptr)
      *const_cast<uchar*>(variable->value_ptr(thd, OPT_SESSION, &null_clex_str)) = 0;
  }
  // Otherwise an engine whose variable was found could not be uninstalled.
  lex_unlock_plugins(thd->lex);
}

}  // namespace hs::mariadb
