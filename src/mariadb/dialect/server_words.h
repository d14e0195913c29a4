// SPDX-License-Identifier: GPL-2.0-only
// What src/in_server asks of a server's headers, in MariaDB's words. src/mysql/dialect has the same in
// MySQL's.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <string_view>

#include "server/config.h"

namespace hs::in_server {

// Where the database listens besides its port; 0: nowhere.
inline unsigned second_port() { return mysqld_extra_port; }
inline constexpr std::string_view kSecondPort = "extra_port";
inline constexpr auto kSlowLogForm = server::SlowLogConfig::Form::kMariadb;

// What SET GLOBAL says of transactions, where read_only does not.
inline bool transactions_are_read_only() { return global_system_variables.tx_read_only; }

inline enum_tx_isolation usual_isolation() {
  return static_cast<enum_tx_isolation>(global_system_variables.tx_isolation);
}

inline void write_to_log(loglevel level, std::string_view message) {
  const auto print = level == ERROR_LEVEL     ? sql_print_error
                     : level == WARNING_LEVEL ? sql_print_warning
                                              : sql_print_information;
  print("handlersocket: %.*s", static_cast<int>(message.size()), message.data());
}

// --- statements ---

inline bool is_killed(const THD* thd) { return thd->killed != NOT_KILLED; }
// What the engine returns when the session was killed.
inline constexpr int kKilled = HA_ERR_ABORTED_BY_USER;

// Whether the row that is stored was given a value for its AUTO_INCREMENT column.
inline bool& has_given_number(TABLE* table) { return table->auto_increment_field_not_null; }

}  // namespace hs::in_server
