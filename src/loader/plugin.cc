// SPDX-License-Identifier: GPL-2.0-only
// The loader: the plugin that fits every patch release of the server. It has the variables, and opens
// the library that was built for this very server, which opens the ports. Without one the server
// starts, and says what is missing.
//
// It is built with public headers only, and takes what it needs of the server by name.
#include <new>
#include <string>

#include "loader/host_server.h"
#include "loader/loading.h"
#include "loader/status.h"
#include "loader/variables.h"
#include "seam/elf_note.h"
#include "server_plugin.h"

namespace hs::loader {
namespace {

int refuse(const std::string& why) {
  log_error(why);
  raise_error(why);
  loading().stop();
  return 1;
}

int init(void*) try {
  if (has_no_clients()) {
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

__attribute__((section(".note.handlersocket2"), used,
               aligned(4))) constexpr seam::ElfNote elf_note = seam::loader_elf_note(HS_VERSION);

// Before the server compares it with its own.
__attribute__((constructor)) void take_interface_version() {
  descriptor.interface_version = interface_version();
}

}  // namespace
}  // namespace hs::loader

#pragma GCC visibility push(default)
HS_PLUGINS_BEGIN(handlersocket)
HS_PLUGIN(MYSQL_DAEMON_PLUGIN, &hs::loader::descriptor, "handlersocket",
          "Direct access to rows over the HandlerSocket protocol", hs::loader::init,
          hs::loader::deinit, hs::loader::status_variables, hs::loader::system_variables)
HS_PLUGINS_END;
#pragma GCC visibility pop
