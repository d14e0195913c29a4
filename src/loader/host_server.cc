// SPDX-License-Identifier: GPL-2.0-only
#include "loader/host_server.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>

#include "server_plugin.h"

namespace hs::loader {
namespace {

// What the server's headers call ER_UNKNOWN_ERROR: part of the protocol.
constexpr unsigned kUnknownError = 1105;

// It carries the version of the headers that it was built with.
const OwnPlugin* own_plugin() {
  const auto* const plugin = find<const OwnPlugin>(kOwnPlugin);
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

std::string line_of(std::string_view text) { return "handlersocket: " + std::string(text); }

void raise_in_statement(std::string_view text, bool is_warning) {
  if (current_thd() != nullptr) raise(kUnknownError, line_of(text).c_str(), is_warning);
}

}  // namespace

Server host_server() {
  Server server{.product = kProduct, .lets_go = kLetsGo, .takes_new = kTakesNew};
  if (const OwnPlugin* const plugin = own_plugin())
    server.version = static_cast<unsigned>(*static_cast<const int*>(plugin->info)) >> 8;
  else
    server.version = version_of_text(find<const char>("server_version"));
  const void* const program = find<const void>(kFunctionOfTheProgram);
  if (const auto notes = Notes::of_loaded(program)) server.build_id = notes->build_id();
  return server;
}

bool has_other_program(const Server& server) {
  std::string why;
  const auto notes = Notes::of_file(kProgram, &why);
  return notes && !server.build_id.empty() && notes->build_id() != server.build_id;
}

int interface_version() { return static_cast<int>(host_server().version << 8); }

bool has_no_clients() {
  return std::any_of(std::begin(kHasNoClients), std::end(kHasNoClients), [](const char* name) {
    const char* const flag = find<const char>(name);
    return flag != nullptr && *flag != 0;
  });
}

void log_error(std::string_view text) {
  const std::string line = line_of(text);
  if (!print_error(line.c_str())) std::fprintf(stderr, "%s\n", line.c_str());
}

void raise_error(std::string_view text) { raise_in_statement(text, false); }
void raise_warning(std::string_view text) { raise_in_statement(text, true); }

char* statement_copy(THD* thd, std::string_view text) {
  return copy_in_statement(thd, text.data(), text.size());
}

}  // namespace hs::loader
