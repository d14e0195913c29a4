// SPDX-License-Identifier: GPL-2.0-only
// hs_floor(LOOKUPS, BATCH, ROWS, SEED, TABLE): what a lookup costs inside the server when it does
// nothing but call the handler. A user-defined function for the benchmark, to be loaded into its
// server only:
//
//   CREATE FUNCTION hs_floor RETURNS REAL SONAME 'hs_floor.so';
//   SELECT hs_floor(1000000, 1024, 1000000, 1, 'user');
//
// Looks up random rows of test.TABLE by primary key on one thread. The table stays open. It is
// locked, and its index begun, once for BATCH lookups. Field::val_str turns name, email and date of
// each row into text, in one buffer. No network, no protocol, no checks. Returns microseconds of
// that thread's CPU time for each lookup; NULL if a row was missing or the table could not be used.
#include "session.h"
// (before anything else)
#include <cstdint>
#include <string>

namespace {

using namespace hs::floor;

struct Work {
  uint64_t lookups, batch, rows, seed;
};

bool look_up(TABLE* table, uint32_t key, std::string* out) {
  if (!read_row(table, key)) return false;
  for (uint i = 1; i <= 3; ++i) {
    char room[512];
    String text(room, sizeof room, &my_charset_bin);
    const String* const value = table->field[i]->val_str(&text, &text);
    out->append(value->ptr(), value->length()).push_back('\t');
  }
  return true;
}

// Microseconds for each lookup; negative: failed.
double look_up_all(THD* thd, TABLE* table, const Work& work) {
  std::string out;
  return cost_of_each(thd, table, work.lookups, work.batch, [&](uint64_t number) {
    if (number % work.batch == 0) out.clear();
    return look_up(table, key_at(work.seed, work.rows, number), &out);
  });
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] my_bool hs_floor_init(UDF_INIT* init, UDF_ARGS* arguments,
                                                     char* message) {
  return begin_function(init, arguments, message, "hs_floor(lookups, batch, rows, seed, table)");
}

[[gnu::visibility("default")]] double hs_floor(UDF_INIT*, UDF_ARGS* arguments, char* is_null,
                                               char* error) {
  const Work work{number(arguments, 0), number(arguments, 1), number(arguments, 2),
                  number(arguments, 3)};
  return end_function(is_null, error, [&] {
    return with_table(table_name(arguments), false,
                      [&](THD* thd, TABLE* table) { return look_up_all(thd, table, work); });
  });
}
}
