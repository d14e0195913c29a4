// SPDX-License-Identifier: GPL-2.0-only
// The plugin's entry: its declaration, start and stop.
#include "mysql/server_headers.h"
// (before anything else)
#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "mysql/configuration.h"
#include "mysql/definition_news.h"
#include "mysql/engine.h"
#include "mysql/information_schema.h"
#include "mysql/log.h"
#include "mysql/purge.h"
#include "mysql/running.h"
#include "mysql/status.h"
#include "mysql/tls.h"
#include "mysql/variables.h"
#include "mysql/wait_hooks.h"
#include "server/server.h"

namespace hs::mysql {
namespace {

std::unique_ptr<MysqlEngine> engine;
std::unique_ptr<PurgeThread> purge;
std::unique_ptr<server::Server> network_server;

// Tells the error log, and the client of INSTALL PLUGIN.
void refuse(const std::string& why) {
  log_error(why);
  if (current_thd != nullptr)
    my_printf_error(ER_UNKNOWN_ERROR, "handlersocket: %s", MYF(0), why.c_str());
}

int init(MYSQL_PLUGIN plugin) {
  log_as(plugin);
  std::string why;
  std::optional<server::Config> config;
  if (take_secrets(&why)) config = read_configuration(&why);
  if (!config || !leaves(own_places(), *config, &why)) {
    refuse(why);
    return 1;
  }
  config->tls = &server_tls();
  install_wait_hooks();
  install_definition_hook();
  engine = std::make_unique<MysqlEngine>();
  network_server =
      server::Server::start(*config, *engine, {log_info, log_warning, log_error}, &why);
  if (network_server == nullptr) {
    engine.reset();
    remove_definition_hook();
    (void)remove_wait_hooks();
    refuse(why);
    return 1;
  }
  try {
    purge = std::make_unique<PurgeThread>(*engine);
  } catch (const std::exception& error) {
    log_error(std::string("expired rows are not purged: ") + error.what());
  }
  show_status_of(network_server.get(), engine.get());
  Running::set(network_server.get());
  return 0;
}

int deinit(MYSQL_PLUGIN) {
  Running::set(nullptr);
  show_status_of(nullptr, nullptr);
  if (network_server != nullptr) {
    engine->interrupt();
    purge.reset();
    network_server->stop();
    network_server.reset();
  }
  engine.reset();
  remove_definition_hook();
  (void)remove_wait_hooks();
  forget_secrets();
  return 0;
}

// The server compares this number with its own before it calls anything of the plugin. The layout of
// its structures changes with every patch release, so a plugin built for another one is refused.
#ifndef HS_BUILT_FOR
#define HS_BUILT_FOR MYSQL_VERSION_ID
#endif
struct st_mysql_daemon descriptor = {HS_BUILT_FOR << 8};
struct st_mysql_information_schema table_descriptor = {HS_BUILT_FOR << 8};

}  // namespace
}  // namespace hs::mysql

// A table in INFORMATION_SCHEMA, which is a plugin of its own.
#define HS_TABLE(name, purpose, init)                                                             \
  {                                                                                               \
    MYSQL_INFORMATION_SCHEMA_PLUGIN, &hs::mysql::table_descriptor, name, "HandlerSocket 2",       \
        purpose, PLUGIN_LICENSE_GPL, hs::mysql::init, nullptr, nullptr, 0x0200, nullptr, nullptr, \
        nullptr, 0                                                                                \
  }

#pragma GCC visibility push(default)
mysql_declare_plugin(handlersocket){
    MYSQL_DAEMON_PLUGIN,
    &hs::mysql::descriptor,
    "handlersocket",
    "HandlerSocket 2",
    "Direct access to rows over the HandlerSocket protocol",
    PLUGIN_LICENSE_GPL,
    hs::mysql::init,
    nullptr,
    hs::mysql::deinit,
    0x0200,
    hs::mysql::status_variables,
    hs::mysql::system_variables,
    nullptr,
    0,
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
             init_ttl_table) mysql_declare_plugin_end;
#pragma GCC visibility pop
