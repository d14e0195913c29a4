// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/server_headers.h"
// (before anything else)
#include "mariadb/mappings.h"

namespace hs::mariadb {

mapping::Directory& directory() {
  static mapping::Directory directory([](std::string_view message) {
    sql_print_warning("handlersocket: %.*s", static_cast<int>(message.size()), message.data());
  });
  return directory;
}

}  // namespace hs::mariadb
