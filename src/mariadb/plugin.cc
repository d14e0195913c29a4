// SPDX-License-Identifier: GPL-2.0-only
// The plugin's entry: its declaration, the check of the server's version, start and stop.
#include "mariadb/server_headers.h"
// (before anything else)
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "mariadb/configuration.h"
#include "mariadb/engine.h"
#include "mariadb/information_schema.h"
#include "mariadb/own_places.h"
#include "mariadb/purge.h"
#include "mariadb/running.h"
#include "mariadb/status.h"
#include "mariadb/tls.h"
#include "mariadb/variables.h"
#include "server/server.h"

namespace hs::mariadb {
namespace {

std::unique_ptr<MariaEngine> engine;
std::unique_ptr<Purge> purge;
std::unique_ptr<server::Server> network_server;

constexpr unsigned kVerboseInfo = 10;

void log_info(std::string_view message) {
  if (verbosity() >= kVerboseInfo)
    sql_print_information("handlersocket: %.*s", static_cast<int>(message.size()), message.data());
}
void log_warning(std::string_view message) {
  if (verbosity() >= kVerboseInfo)
    sql_print_warning("handlersocket: %.*s", static_cast<int>(message.size()), message.data());
}
void log_error(std::string_view message) {
  sql_print_error("handlersocket: %.*s", static_cast<int>(message.size()), message.data());
}

// Tells the error log, and the client of INSTALL PLUGIN.
void refuse(const std::string& why) {
  log_error(why);
  if (current_thd != nullptr)
    my_printf_error(ER_UNKNOWN_ERROR, "handlersocket: %s", MYF(0), why.c_str());
}

// "10.11.18" of "10.11.18-MariaDB-0+deb12u1-log".
std::string_view version_number(std::string_view version) {
  return version.substr(0, version.find('-'));
}

#ifndef HS_BUILT_FOR
#define HS_BUILT_FOR MYSQL_SERVER_VERSION
#endif

// The layout of the server's structures changes with every patch release: a plugin built for
// another one would corrupt memory. The server's own check does not name the versions, so this
// check comes first.
bool version_matches(std::string* why) {
  const std::string_view built_for = version_number(HS_BUILT_FOR);
  const std::string_view running = version_number(server_version);
  if (built_for == running) return true;
  *why = "this handlersocket2.so was built for MariaDB " + std::string(built_for) +
         ", this server is MariaDB " + std::string(running) +
         ": install the plugin that was built for it";
  return false;
}

int init(void*) {
  std::string why;
  if (!version_matches(&why)) {
    refuse(why);
    return 1;
  }
  std::optional<server::Config> config;
  if (take_secrets(&why)) config = read_configuration(&why);
  if (!config || !leaves_places_to_server(*config, &why)) {
    refuse(why);
    return 1;
  }
  config->tls = &server_tls();
  engine = std::make_unique<MariaEngine>();
  network_server =
      server::Server::start(*config, *engine, {log_info, log_warning, log_error}, &why);
  if (network_server == nullptr) {
    engine.reset();
    refuse(why);
    return 1;
  }
  try {
    purge = std::make_unique<Purge>(*engine);
  } catch (const std::exception& error) {
    log_error(std::string("expired rows are not purged: ") + error.what());
  }
  show_status_of(network_server.get(), engine.get());
  Running::set(network_server.get());
  return 0;
}

int deinit(void*) {
  Running::set(nullptr);
  show_status_of(nullptr, nullptr);
  if (network_server != nullptr) {
    engine->interrupt();
    purge.reset();
    network_server->stop();
    network_server.reset();
  }
  engine.reset();
  forget_secrets();
  return 0;
}

// The tables are plugins of their own, which the server may start before and without the first.
template <int (*kInit)(void*)>
int init_table(void* schema_table) {
  std::string why;
  if (version_matches(&why)) return kInit(schema_table);
  log_error(why);
  return 1;
}

// The server compares this number with its own before it calls anything of the plugin, and its
// refusal does not say which version is which. So the number is set to the server's own here.
// init() then refuses with both names, before it touches anything of the server.
struct st_mysql_daemon descriptor = {MYSQL_DAEMON_INTERFACE_VERSION};
struct st_mysql_information_schema table_descriptor = {MYSQL_INFORMATION_SCHEMA_INTERFACE_VERSION};

int parse_version_id(std::string_view version) {
  int parts[3] = {0, 0, 0};
  size_t part = 0;
  for (char c : version) {
    if (c == '.') {
      if (++part == 3) break;
    } else if (c >= '0' && c <= '9') {
      parts[part] = parts[part] * 10 + (c - '0');
    } else {
      break;
    }
  }
  return parts[0] * 10000 + parts[1] * 100 + parts[2];
}

__attribute__((constructor)) void take_interface_version() {
  descriptor.interface_version = parse_version_id(server_version) << 8;
  table_descriptor.interface_version = descriptor.interface_version;
}

}  // namespace
}  // namespace hs::mariadb

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC visibility push(default)
// The entry of a table of INFORMATION_SCHEMA.
#define HS_TABLE(name, purpose, init)                                                             \
  {                                                                                               \
    MYSQL_INFORMATION_SCHEMA_PLUGIN, &hs::mariadb::table_descriptor, name, "HandlerSocket 2",     \
        purpose, PLUGIN_LICENSE_GPL, hs::mariadb::init_table<hs::mariadb::init>, nullptr, 0x0200, \
        nullptr, nullptr, HS_VERSION, MariaDB_PLUGIN_MATURITY_STABLE                              \
  }

maria_declare_plugin(handlersocket){
    MYSQL_DAEMON_PLUGIN,
    &hs::mariadb::descriptor,
    "handlersocket",
    "HandlerSocket 2",
    "Direct access to rows over the HandlerSocket protocol",
    PLUGIN_LICENSE_GPL,
    hs::mariadb::init,
    hs::mariadb::deinit,
    0x0200,
    hs::mariadb::status_variables,
    hs::mariadb::system_variables,
    HS_VERSION,
    MariaDB_PLUGIN_MATURITY_STABLE,
},
    HS_TABLE("HANDLERSOCKET_CONNECTIONS", "The connections of the HandlerSocket ports",
             init_connections_table),
    HS_TABLE("HANDLERSOCKET_INDEXES", "What clients of the HandlerSocket ports have open",
             init_indexes_table),
    HS_TABLE("HANDLERSOCKET_LATENCY", "How long requests took on the HandlerSocket ports",
             init_latency_table),
    HS_TABLE("HANDLERSOCKET_LATENCY_BUCKETS", "How many requests took how long",
             init_latency_buckets_table),
    HS_TABLE("HANDLERSOCKET_TTL", "Tables whose rows expire, and what was purged of them",
             init_ttl_table) maria_declare_plugin_end;
#pragma GCC visibility pop
#pragma GCC diagnostic pop
