// SPDX-License-Identifier: GPL-2.0-only
// How a plugin of MariaDB is declared, and what the program exports for it. src/loader/mysql has the same
// in MySQL's words.
#pragma once

#include <mysql/plugin.h>

#include <cstddef>

#include "loader/symbol.h"

// What all variables begin with. The server has it in sql_plugin.cc only.
struct st_mysql_sys_var {
  MYSQL_PLUGIN_VAR_HEADER;
};

namespace hs::loader {

// --- variables ---

using SystemVariable = st_mysql_sys_var;

// SET PERSIST, which there is none of, must not write such a variable down.
inline constexpr int kNeverPersisted = 0;

// A my_bool is a char that is 0 or 1.
#define HS_SWITCH_PLACE(place) (reinterpret_cast<char&>(place))

// --- status variables ---

using StatusVariable = st_mysql_show_var;

inline constexpr enum_mysql_show_type kShownNumber = SHOW_ULONGLONG;
inline constexpr StatusVariable kNoStatusVariable = {nullptr, nullptr, SHOW_UNDEF};

// The server puts the plugin's name in front.
#define HS_STATUS_NAME(name) #name

template <void (*kShow)(StatusVariable*, char* buffer)>
StatusVariable status_variable(const char* name) {
  constexpr auto kFunction = [](MYSQL_THD, StatusVariable* variable, void* buffer,
                                system_status_var*, enum_var_type) -> int {
    kShow(variable, static_cast<char*>(buffer));
    return 0;
  };
  int (*const function)(MYSQL_THD, StatusVariable*, void*, system_status_var*, enum_var_type) =
      kFunction;
  return {name, reinterpret_cast<void*>(function), SHOW_FUNC};
}

// --- the declaration ---

#define HS_PLUGINS_BEGIN(name) maria_declare_plugin(name)
#define HS_PLUGIN(type, info, name, purpose, init, deinit, status, variables)               \
  {                                                                                         \
    type, info, name, "HandlerSocket 2", purpose, PLUGIN_LICENSE_GPL, init, deinit, 0x0200, \
        status, variables, HS_VERSION, MariaDB_PLUGIN_MATURITY_STABLE                       \
  }
#define HS_PLUGINS_END maria_declare_plugin_end

// --- what a user is told ---

// Where Debian's package has the server's program.
inline constexpr char kProgram[] = "/usr/sbin/mariadbd";
inline constexpr char kProduct[] = "MariaDB";
inline constexpr char kLetsGo[] = "UNINSTALL SONAME 'handlersocket2_tables.so'";
inline constexpr char kTakesNew[] =
    "UNINSTALL SONAME, and then INSTALL SONAME, of handlersocket2_tables.so and handlersocket2.so "
    "(in Debian's package, as root, /usr/libexec/handlersocket2/plugin change)";

// --- what the program exports ---

using OwnPlugin = st_maria_plugin;

// The server's own plugin of the binary log. It is a storage engine in 10.11 and a daemon in 11.8.
inline constexpr char kOwnPlugin[] = "builtin_maria_binlog_plugin";
// A function of the program: it writes to the error log.
inline constexpr char kFunctionOfTheProgram[] = "_Z15sql_print_errorPKcz";
// Whether it only makes system tables, or tells a cluster where its data ends: bools.
inline constexpr const char* kHasNoClients[] = {"opt_bootstrap", "wsrep_recovery"};

// False: it cannot be written.
inline bool print_error(const char* line) {
  auto* const print = find<void(const char*, ...)>(kFunctionOfTheProgram);
  if (print != nullptr) print("%s", line);
  return print != nullptr;
}

// The session whose client is told something. The one that starts the server is none.
inline THD* current_thd() {
  auto* const current = find<THD*()>("_current_thd");
  return current != nullptr ? current() : nullptr;
}

// Makes the text an error, or a warning, of the statement.
inline void raise(unsigned number, const char* text, bool is_warning) {
  constexpr unsigned long kAsWarning = 2048;  // ME_WARNING
  if (auto* const print = find<void(unsigned, const char*, unsigned long, ...)>("my_printf_error"))
    print(number, "%s", is_warning ? kAsWarning : 0, text);
}

inline char* copy_in_statement(THD* thd, const char* text, size_t size) {
  auto* const copy = find<char*(THD*, const char*, size_t)>("thd_strmake");
  return copy != nullptr ? copy(thd, text, size) : nullptr;
}

}  // namespace hs::loader
