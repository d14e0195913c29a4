// SPDX-License-Identifier: GPL-2.0-only
// What the functions of hs_floor have in common: a session of the server with one open table, and
// the CPU time of a thread.
#ifndef HS_TOOLS_FLOOR_SESSION_H_
#define HS_TOOLS_FLOOR_SESSION_H_

#include "mariadb/server_headers.h"
// (before anything else)
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>

namespace hs::floor {

constexpr longlong kMost = 1'000'000'000;

// Seconds of CPU time that this thread has used.
double cpu_seconds();

// SplitMix64, as in hs bench: the same keys from 1 to `rows`.
uint32_t key_at(uint64_t seed, uint64_t rows, uint64_t number);

// Puts the row with the primary key `key` into record[0]. The index is in use. False: it is missing.
bool read_row(TABLE* table, uint32_t key);

// Calls `work` for an open table like test.user in the database test, with columns marked to be read
// and written. It runs on a new thread, since the one that executes the SELECT has a session of its
// own. Returns what `work` returns; negative when the table could not be used.
double with_table(const std::string& name, bool writes,
                  const std::function<double(THD*, TABLE*)>& work);

// Begins a statement, locks the table and begins its primary key; null: it could not.
MYSQL_LOCK* begin_statement(THD* thd, TABLE* table);

// Row changes of the session are written to the binary log from now on.
void log_rows(THD* thd);

// Commits what was `done`, or undoes it, and unlocks. False: it was not done, or the commit failed.
bool end_statement(THD* thd, TABLE* table, MYSQL_LOCK* lock, bool done);

// Calls `one` for each number below `count`, `batch` of them as one statement. Returns microseconds of
// CPU time for each; negative when one failed. A template, since a call would be measured, too.
template <class One>
double cost_of_each(THD* thd, TABLE* table, uint64_t count, uint64_t batch, One one) {
  const double begin = cpu_seconds();
  for (uint64_t first = 0; first < count; first += batch) {
    const uint64_t end = std::min(first + batch, count);
    MYSQL_LOCK* const lock = begin_statement(thd, table);
    if (lock == nullptr) return -1;
    bool done = true;
    for (uint64_t i = first; done && i < end; ++i) done = one(i);
    if (!end_statement(thd, table, lock, done)) return -1;
  }
  return (cpu_seconds() - begin) * 1e6 / static_cast<double>(count);
}

// The arguments of all functions are four numbers, of which the fourth may be 0, and a table's name.
// False, as the server asks: they are right. `usage` is the error otherwise.
my_bool begin_function(UDF_INIT* init, UDF_ARGS* arguments, char* message, const char* usage);
uint64_t number(const UDF_ARGS* arguments, int place);
std::string table_name(const UDF_ARGS* arguments);

// The result of `work`. Negative: the SELECT gives NULL. No thread can be had: it fails.
double end_function(char* is_null, char* error, const std::function<double()>& work);

}  // namespace hs::floor

#endif  // HS_TOOLS_FLOOR_SESSION_H_
