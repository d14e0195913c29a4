// SPDX-License-Identifier: GPL-2.0-only
// Finds tables in whose comment `hs:` stands, in the server's data dictionary, and notices when tables
// are made, altered, renamed and dropped.
//
// Each of these statements takes the exclusive metadata lock of its table. The server tells storage
// engines when such a lock is given back, and so this learns the table's name. It is told before the
// statement's client has its answer.
#pragma once

#include "mysql/server_headers.h"
// (before anything else)
#include <atomic>
#include <set>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "mapping/tables.h"

namespace hs::mysql {

class DefinitionNews {
 public:
  using Name = mapping::TableName;  // as filed

  // Any thread: the table has changed, or may have. Does not throw.
  void note(std::string_view database, std::string_view table);
  // Any thread: whether look() has something to do.
  bool is_any() const { return is_any_.load(std::memory_order_acquire); }

  // Adds what has come to be known. In a statement of `thd` that waits for no metadata lock, one call
  // at a time. Reads the dictionary's table of tables once, and after that a bounded number of
  // definitions. False: that failed, the error is raised, and the next call begins where this one did;
  // a table whose definition could not be read is among the changed ones. May throw std::bad_alloc.
  bool look(THD* thd, mapping::TableNews& news);

  // Tables whose comment may have a `ttl=` and that a look has found, at most `most`. Each is given
  // once.
  std::vector<Name> take_with_ttl(size_t most);

  // From here on the dictionary is read once more.
  void begin_again();

 private:
  bool read_all(THD* thd, mapping::TableNews& news);
  bool read(THD* thd, const Name& table, mapping::TableNews& news);
  void take(const Name& table, std::string_view comment, mapping::TableNews& news);

  std::atomic<bool> is_any_{true};
  Mutex mutex_;
  bool wants_all_ HS_GUARDED_BY(mutex_) = true;
  std::set<Name> noted_ HS_GUARDED_BY(mutex_);
  std::vector<Name> with_ttl_ HS_GUARDED_BY(mutex_);
  std::set<Name> marked_;  // those with `hs:`; of look()
};

// Of this server.
DefinitionNews& definition_news();

// From here on until the other call the server tells definition_news() what changes.
void install_definition_hook();
void remove_definition_hook();

}  // namespace hs::mysql
