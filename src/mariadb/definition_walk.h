// SPDX-License-Identifier: GPL-2.0-only
// Walks over the files that hold the tables' definitions (*.frm), a few at a time, and finds those
// whose comment may have an `hs:` with a `ttl=`. It opens no table.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <string>
#include <utility>
#include <vector>

namespace hs::mariadb {

class DefinitionWalk {
 public:
  using Name = std::pair<std::string, std::string>;  // database and table, as SQL writes them

  void begin();
  bool is_over() const { return databases_.empty() && files_.empty(); }
  // Looks at the next files, at most `most`. May throw std::bad_alloc.
  std::vector<Name> go_on(size_t most);

 private:
  void enter_next_database();

  std::vector<std::string> databases_;  // names of directories that are still to be looked at
  std::string database_;                // the present one
  std::vector<std::string> files_;      // of it, that are still to be looked at
};

}  // namespace hs::mariadb
