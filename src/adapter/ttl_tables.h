// The tables whose rows expire, as far as they are known, and what the purge has done in each. Any
// thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace hs::adapter {

struct TtlTable {
  std::string database, table;  // as filed
  std::string column;           // by which its rows expire; empty: not known
  std::string index;            // that begins with it; empty: there is none
  uint64_t rounds = 0;          // of the purge, in which it could work on the table
  uint64_t rows_purged = 0;
  int64_t behind_s = 0;  // for how long the oldest row that is left has expired
  std::string last_error;
  int64_t last_round = 0;  // in seconds since 1970; 0: there was none
};

class TtlTables {
 public:
  // A table was opened, whose rows expire by this column. `index` may be empty. May throw
  // std::bad_alloc.
  void note(const std::string& database, const std::string& table, std::string_view column,
            std::string_view index);
  // A table has a comment that cannot be understood. May throw std::bad_alloc.
  void note_error(const std::string& database, const std::string& table, std::string_view error);
  // A table was opened whose rows do not expire, or it is gone.
  void forget(const std::string& database, const std::string& table);
  // The purge has worked on the table. `error` says why it has passed over rows; empty: it has not. May
  // throw std::bad_alloc.
  void note_round(const TtlTable& table, uint64_t rows, int64_t behind_s, int64_t now,
                  std::string_view error);
  // It could not, or not to the end. May throw std::bad_alloc.
  void note_failure(const TtlTable& table, uint64_t rows, std::string_view error);

  std::vector<TtlTable> list() const;

 private:
  using Name = std::pair<std::string, std::string>;

  // Null: the table is not known any more.
  TtlTable* note_rows(const TtlTable& table, uint64_t rows, std::string_view error)
      HS_REQUIRES(mutex_);
  TtlTable& known_as(const std::string& database, const std::string& table) HS_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::map<Name, TtlTable> tables_ HS_GUARDED_BY(mutex_);
  std::atomic<size_t> size_{0};
};

// Of this server.
TtlTables& ttl_tables();

}  // namespace hs::adapter
