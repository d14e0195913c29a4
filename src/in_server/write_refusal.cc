// SPDX-License-Identifier: GPL-2.0-only
#include "in_server/write_refusal.h"

#include <atomic>

#include "in_server/log.h"
#include "server_words.h"

namespace hs::in_server {

bool log_was_switched_off() { return opt_bin_log && !mysql_bin_log.is_open(); }

Error log_is_off() {
  static std::atomic_flag said;
  if (!said.test_and_set())
    log_error(
        "the server has switched its binary log off; changes are refused until it is restarted");
  return Error::sql(ER_BINLOG_LOGGING_IMPOSSIBLE, "The server has switched its binary log off");
}

std::optional<Error> refusal(engine::Access access, bool ignores_read_only) {
  if (access == engine::Access::kRead) return {};
  // MySQL's super_read_only sets read_only, too.
  if ((opt_readonly && !ignores_read_only) || transactions_are_read_only())
    return Error::read_only_server();
  if (log_was_switched_off()) return log_is_off();
  return {};
}

}  // namespace hs::in_server
