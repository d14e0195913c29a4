// SPDX-License-Identifier: GPL-2.0-only
// How a plugin of MySQL is declared, and what the program exports for it. src/loader/mariadb has the same
// in MariaDB's words.
#pragma once

#include <my_compiler.h>
#include <typelib.h>

#include <cstddef>

// Without it the header includes private ones, for the sake of one macro.
#define MYSQL_ABI_CHECK
#include <mysql/plugin.h>

#include "loader/symbol.h"

namespace hs::loader {

// --- variables ---

using SystemVariable = SYS_VAR;

// SET PERSIST must not write such a variable down: what it shows is no secret and no connection's id.
inline constexpr int kNeverPersisted = PLUGIN_VAR_NOPERSIST;

#define HS_SWITCH_PLACE(place) (place)

// --- status variables ---

using StatusVariable = SHOW_VAR;

inline constexpr enum_mysql_show_type kShownNumber = SHOW_LONGLONG;
inline constexpr StatusVariable kNoStatusVariable = {nullptr, nullptr, SHOW_UNDEF,
                                                     SHOW_SCOPE_GLOBAL};

#define HS_STATUS_NAME(name) "Handlersocket_" #name

template <void (*kShow)(StatusVariable*, char* buffer)>
StatusVariable status_variable(const char* name) {
  constexpr auto kFunction = [](MYSQL_THD, StatusVariable* variable, char* buffer) -> int {
    kShow(variable, buffer);
    return 0;
  };
  int (*const function)(MYSQL_THD, StatusVariable*, char*) = kFunction;
  return {name, reinterpret_cast<char*>(function), SHOW_FUNC, SHOW_SCOPE_GLOBAL};
}

// --- the declaration ---

#define HS_PLUGINS_BEGIN(name) mysql_declare_plugin(name)
#define HS_PLUGIN(type, info, name, purpose, init, deinit, status, variables)                \
  {                                                                                          \
    type, info, name, "HandlerSocket 2", purpose, PLUGIN_LICENSE_GPL, init, nullptr, deinit, \
        0x0200, status, variables, nullptr, 0                                                \
  }
#define HS_PLUGINS_END mysql_declare_plugin_end

// --- what a user is told ---

// Where Debian's package has the server's program.
inline constexpr char kProgram[] = "/usr/sbin/mysqld";
inline constexpr char kProduct[] = "MySQL";
inline constexpr char kLetsGo[] = "a restart";
inline constexpr char kTakesNew[] = "a restart";

// --- what the program exports ---

using OwnPlugin = st_mysql_plugin;

// The server's own plugin of the binary log.
inline constexpr char kOwnPlugin[] = "builtin_binlog_plugin";
// A function of the program: it writes to the error log.
inline constexpr char kFunctionOfTheProgram[] = "_Z11log_messageiz";
// Whether it only makes system tables: a bool.
inline constexpr const char* kHasNoClients[] = {"opt_initialize"};

// False: it cannot be written.
inline bool print_error(const char* line) {
  // The numbers are those of mysql/components/services/log_shared.h, by which components log, too.
  constexpr int kErrorLog = 1;          // LOG_TYPE_ERROR
  constexpr int kPriority = 1 << 16;    // LOG_ITEM_LOG_PRIO
  constexpr long long kErrorLevel = 1;  // ERROR_LEVEL
  constexpr int kSubsystem = 1 << 9;    // LOG_ITEM_SRV_SUBSYS
  constexpr int kMessage = 1 << 19;     // LOG_ITEM_LOG_MESSAGE
  auto* const print = find<int(int, ...)>(kFunctionOfTheProgram);
  if (print != nullptr)
    print(kErrorLog, kPriority, kErrorLevel, kSubsystem, "Server", kMessage, "%s", line);
  return print != nullptr;
}

// The session whose client is told something. The one that starts the server has none.
inline THD* current_thd() {
  const auto* const has_started = find<const bool>("mysqld_server_started");
  auto* const current = find<THD*()>("_Z19thd_get_current_thdv");
  return has_started != nullptr && *has_started && current != nullptr ? current() : nullptr;
}

// Makes the text an error, or a warning, of the statement.
inline void raise(unsigned number, const char* text, bool is_warning) {
  constexpr int kWarningLevel = 1;  // Sql_condition::SL_WARNING
  auto* const print_error =
      find<void(unsigned, const char*, int, ...)>("_Z15my_printf_errorjPKciz");
  auto* const warn = find<void(THD*, int, unsigned, const char*)>(
      "_Z12push_warningP3THDN13Sql_condition19enum_severity_levelEjPKc");
  if (is_warning && warn != nullptr) warn(current_thd(), kWarningLevel, number, text);
  if (!is_warning && print_error != nullptr) print_error(number, "%s", 0, text);
}

inline char* copy_in_statement(THD* thd, const char* text, size_t size) {
  auto* const copy = find<char*(THD*, const char*, size_t)>("_Z11thd_strmakeP3THDPKcm");
  return copy != nullptr ? copy(thd, text, size) : nullptr;
}

}  // namespace hs::loader
