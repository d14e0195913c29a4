// SPDX-License-Identifier: GPL-2.0-only
// The loader: the plugin that fits every patch release of the server. It has the variables, and opens
// the library that was built for this very server, which opens the ports. Without one the server
// starts, and says what is missing.
//
// It is built with public headers only, and takes what it needs of the server by name.
#include <mysql/plugin.h>

#include <new>
#include <string>

#include "loader/host_server.h"
#include "loader/loading.h"
#include "loader/status.h"
#include "loader/variables.h"

namespace hs::loader {
namespace {

int refuse(const std::string& why) {
  log_error(why);
  raise_error(why);
  loading().stop();
  return 1;
}

int init(void*) try {
  if (is_bootstrap()) {
    loading().set_aside("bootstrap");
    return 0;
  }
  std::string why;
  if (!loading().take_secrets(&why)) return refuse(why);
  switch (loading().start(&why)) {
    case Loading::Outcome::kRunning:
      break;
    case Loading::Outcome::kNoLibrary:
      log_error(why);
      raise_warning(why);
      break;
    case Loading::Outcome::kFailed:
      return refuse(why);
  }
  return 0;
} catch (const std::bad_alloc&) {
  return refuse("out of memory");
}

int deinit(void*) {
  loading().stop();
  return 0;
}

st_mysql_daemon descriptor = {0};

// Before the server compares it with its own.
__attribute__((constructor)) void take_interface_version() {
  descriptor.interface_version = interface_version();
}

}  // namespace
}  // namespace hs::loader

#pragma GCC visibility push(default)
maria_declare_plugin(handlersocket){
    MYSQL_DAEMON_PLUGIN,
    &hs::loader::descriptor,
    "handlersocket",
    "HandlerSocket 2",
    "Direct access to rows over the HandlerSocket protocol",
    PLUGIN_LICENSE_GPL,
    hs::loader::init,
    hs::loader::deinit,
    0x0200,
    hs::loader::status_variables,
    hs::loader::system_variables,
    HS_VERSION,
    MariaDB_PLUGIN_MATURITY_STABLE,
} maria_declare_plugin_end;
#pragma GCC visibility pop
