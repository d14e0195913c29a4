// SPDX-License-Identifier: GPL-2.0-only
// The tables in INFORMATION_SCHEMA, in a file of their own: the server wants each declared with its
// columns, which only a library knows, so they cannot be there without one. Without them the loader
// can.
//
// Each is a plugin of its own to the server, which may start and end it before and after the loader.
// So this file opens the library for itself, and starts nothing of it.
#include <mutex>
#include <new>
#include <string>

#include "loader/host_server.h"
#include "loader/library_file.h"
#include "server_plugin.h"

namespace hs::loader {
namespace {

std::mutex mutex;
LibraryFile file;
unsigned users = 0;  // tables that use it

int init(seam::Table table, void* schema_table) try {
  const std::lock_guard lock(mutex);
  std::string why;
  if (users == 0 && !file.open(own_folder(), host_server(), &why)) {
    log_error("there are no tables in INFORMATION_SCHEMA: " + why);
    return 1;
  }
  const bool described = file.get()->describe_table(table, schema_table);
  if (described) ++users;
  if (users == 0) file.close();
  return described ? 0 : 1;
} catch (const std::bad_alloc&) {
  return 1;
}

int deinit(void*) {
  const std::lock_guard lock(mutex);
  if (--users == 0) file.close();
  return 0;
}

template <seam::Table kTable>
int init_table(void* schema_table) {
  return init(kTable, schema_table);
}

st_mysql_information_schema descriptor = {0};

__attribute__((constructor)) void take_interface_version() {
  descriptor.interface_version = interface_version();
}

}  // namespace
}  // namespace hs::loader

#pragma GCC visibility push(default)
// clang-format off
#define HS_TABLE(name, title, purpose)                                                       \
  HS_PLUGIN(MYSQL_INFORMATION_SCHEMA_PLUGIN, &hs::loader::descriptor, title, purpose,        \
            hs::loader::init_table<hs::seam::Table::name>, hs::loader::deinit, nullptr, nullptr),
HS_PLUGINS_BEGIN(handlersocket_tables)
#include "seam/tables.def"
#undef HS_TABLE
  {}
};
// clang-format on
#pragma GCC visibility pop
