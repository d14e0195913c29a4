// SPDX-License-Identifier: GPL-2.0-only
// What src/in_server asks of a server's headers, in MySQL's words. src/mariadb/dialect has the same in
// MariaDB's.
#pragma once

#include "mysql/server_headers.h"
// (before anything else)
#include <string_view>

#include "server/config.h"
#include "sql/log.h"

namespace hs::in_server {

// Where the database listens besides its port; 0: nowhere.
inline unsigned second_port() { return mysqld_admin_port; }
inline constexpr std::string_view kSecondPort = "admin_port";
inline constexpr auto kSlowLogForm = server::SlowLogConfig::Form::kMysql;

// What SET GLOBAL says of transactions, where read_only does not.
inline bool transactions_are_read_only() { return global_system_variables.transaction_read_only; }

inline enum_tx_isolation usual_isolation() {
  return static_cast<enum_tx_isolation>(global_system_variables.transaction_isolation);
}

inline void write_to_log(loglevel level, std::string_view message) {
  log_message(LOG_TYPE_ERROR, LOG_ITEM_LOG_PRIO, static_cast<longlong>(level), LOG_ITEM_SRV_SUBSYS,
              "Server", LOG_ITEM_LOG_MESSAGE, "handlersocket: %.*s",
              static_cast<int>(message.size()), message.data());
}

// --- statements ---

inline bool is_killed(const THD* thd) { return thd->killed != THD::NOT_KILLED; }
// What the engine returns when the session was killed.
inline constexpr int kKilled = HA_ERR_QUERY_INTERRUPTED;

// Whether the row that is stored was given a value for its AUTO_INCREMENT column.
inline bool& has_given_number(TABLE* table) {
  return table->autoinc_field_has_explicit_non_null_value;
}

}  // namespace hs::in_server
