// SPDX-License-Identifier: GPL-2.0-only
// Finds tables in whose comment `hs:` stands, by the files that hold the definitions (*.frm), and
// notices when tables are made, altered, renamed and dropped. It opens no table.
//
// A database's directory has another time when a file in it was made or has gone, and each of these
// statements makes a file. So a look asks for the time of each directory, and only reads what is new
// in those that have changed.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "mapping/tables.h"

namespace hs::mariadb {

class DefinitionNews {
 public:
  using Name = mapping::TableName;  // as SQL writes it

  // Adds what has come to be known. Reads a bounded number of files; `thorough`: but not of a
  // database with very many, so that it does not take long. May throw std::bad_alloc.
  void look(bool thorough, mapping::TableNews& news);

  // Tables whose comment may have a `ttl=` and that a look has found, at most `most`. Each is given
  // once.
  std::vector<Name> take_with_ttl(size_t most);

  // From here on all files are read once more.
  void begin_again();

 private:
  // Of files, in nanoseconds.
  using Time = int64_t;

  struct Database {
    Time changed = 0;               // of the directory, when it was last listed
    Time listed = 0;                // when that was; 0: never
    size_t files = 0;               // that it had then
    std::set<std::string> marked;   // files with `hs:` inside
    std::set<std::string> to_read;  // files
  };

  void list_databases() HS_REQUIRES(mutex_);
  static void list(const std::string& directory, Database& database, mapping::TableNews& news);
  void read(const std::string& directory, Database& database, const std::string& file,
            mapping::TableNews& news) HS_REQUIRES(mutex_);

  Mutex mutex_;
  Time home_changed_ HS_GUARDED_BY(mutex_) = 0;
  Time home_listed_ HS_GUARDED_BY(mutex_) = 0;
  std::map<std::string, Database> databases_ HS_GUARDED_BY(mutex_);  // by their directories
  std::vector<std::string> gone_ HS_GUARDED_BY(mutex_);              // directories
  std::vector<Name> with_ttl_ HS_GUARDED_BY(mutex_);
};

// Of this server.
DefinitionNews& definition_news();

}  // namespace hs::mariadb
