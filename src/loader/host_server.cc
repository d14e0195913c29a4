// SPDX-License-Identifier: GPL-2.0-only
#include "loader/host_server.h"

#include <dlfcn.h>
#include <mysql/plugin.h>

#include <cstdio>

namespace hs::loader {
namespace {

// What the server's headers call ER_UNKNOWN_ERROR and ME_WARNING: part of the protocol and of all
// plugins' interface.
constexpr unsigned kUnknownError = 1105;
constexpr unsigned long kAsError = 0;
constexpr unsigned long kAsWarning = 2048;

template <class Symbol>
Symbol* find(const char* name) {
  return reinterpret_cast<Symbol*>(::dlsym(RTLD_DEFAULT, name));
}

int length(std::string_view text) { return static_cast<int>(text.size()); }

// The server's own plugin of the binary log carries the version of the headers that it was built with.
// It is a storage engine in 10.11 and a daemon in 11.8.
const st_maria_plugin* own_plugin() {
  const auto* const plugin = find<const st_maria_plugin>("builtin_maria_binlog_plugin");
  const bool has_version =
      plugin != nullptr && plugin->info != nullptr &&
      (plugin->type == MYSQL_STORAGE_ENGINE_PLUGIN || plugin->type == MYSQL_DAEMON_PLUGIN);
  return has_version ? plugin : nullptr;
}

unsigned version_of_text(const char* text) {
  unsigned major = 0, minor = 0, patch = 0;
  if (text == nullptr || std::sscanf(text, "%u.%u.%u", &major, &minor, &patch) != 3) return 0;
  return major * 10000 + minor * 100 + patch;
}

void raise(std::string_view text, unsigned long how) {
  using Print = void(unsigned, const char*, unsigned long, ...);
  using CurrentThd = THD*();
  auto* const print = find<Print>("my_printf_error");
  auto* const current = find<CurrentThd>("_current_thd");
  if (print == nullptr || current == nullptr || current() == nullptr) return;
  print(kUnknownError, "handlersocket: %.*s", how, length(text), text.data());
}

}  // namespace

Server host_server() {
  Server server;
  const st_maria_plugin* const plugin = own_plugin();
  if (plugin != nullptr)
    server.version = static_cast<unsigned>(*static_cast<const int*>(plugin->info)) >> 8;
  else
    server.version = version_of_text(find<const char>("server_version"));
  const void* const program = find<const void>("_Z15sql_print_errorPKcz");
  if (const auto notes = Notes::of_loaded(program)) server.build_id = notes->build_id();
  return server;
}

int interface_version() { return static_cast<int>(host_server().version << 8); }

bool is_bootstrap() {
  const char* const flag = find<const char>("opt_bootstrap");
  return flag != nullptr && *flag != 0;
}

void log_error(std::string_view text) {
  using Print = void(const char*, ...);
  if (auto* const print = find<Print>("_Z15sql_print_errorPKcz"))
    print("handlersocket: %.*s", length(text), text.data());
  else
    std::fprintf(stderr, "handlersocket: %.*s\n", length(text), text.data());
}

void raise_error(std::string_view text) { raise(text, kAsError); }
void raise_warning(std::string_view text) { raise(text, kAsWarning); }

char* statement_copy(THD* thd, std::string_view text) {
  using Copy = char*(THD*, const char*, size_t);
  auto* const copy = find<Copy>("thd_strmake");
  return copy != nullptr ? copy(thd, text.data(), text.size()) : nullptr;
}

}  // namespace hs::loader
