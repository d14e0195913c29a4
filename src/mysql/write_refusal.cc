// SPDX-License-Identifier: GPL-2.0-only
#include "mysql/write_refusal.h"

#include <atomic>

#include "mysql/log.h"

namespace hs::mysql {

bool log_was_switched_off() { return opt_bin_log && !mysql_bin_log.is_open(); }

Error log_is_off() {
  static std::atomic_flag said;
  if (!said.test_and_set())
    log_error(
        "the server has switched its binary log off; changes are refused until it is restarted");
  return Error::sql(ER_BINLOG_LOGGING_IMPOSSIBLE, "The server has switched its binary log off");
}

std::optional<Error> refusal(engine::Access access) {
  if (access == engine::Access::kRead) return {};
  // super_read_only sets read_only, too.
  if (opt_readonly || global_system_variables.transaction_read_only)
    return Error::read_only_server();
  if (log_was_switched_off()) return log_is_off();
  return {};
}

}  // namespace hs::mysql
