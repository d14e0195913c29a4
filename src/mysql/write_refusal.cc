// SPDX-License-Identifier: GPL-2.0-only
#include "mysql/write_refusal.h"

namespace hs::mysql {

std::optional<Error> refusal(engine::Access access) {
  if (access == engine::Access::kRead) return {};
  // super_read_only sets read_only, too.
  if (opt_readonly || global_system_variables.transaction_read_only)
    return Error::read_only_server();
  if (opt_bin_log && !mysql_bin_log.is_open())
    return Error::sql(ER_BINLOG_LOGGING_IMPOSSIBLE, "The server has switched its binary log off");
  return {};
}

}  // namespace hs::mysql
