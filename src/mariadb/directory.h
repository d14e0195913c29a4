// SPDX-License-Identifier: GPL-2.0-only
// The server's list of the files in a directory, freed with its owner.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <memory>

namespace hs::mariadb {

struct CloseDirectory {
  void operator()(MY_DIR* directory) const { my_dirend(directory); }
};
using Directory = std::unique_ptr<MY_DIR, CloseDirectory>;

}  // namespace hs::mariadb
