// SPDX-License-Identifier: GPL-2.0-only
// What an insert and an update cost inside the server when it does nothing but call the handler. Two
// more user-defined functions of hs_floor.so:
//
//   SELECT hs_floor_insert(10000, 30, 100001, 0, 'written');      (ROWS, BATCH, FIRST, 0, TABLE)
//   SELECT hs_floor_update(10000, 30, 100000, 1, 'written');      (UPDATES, BATCH, ROWS, SEED, TABLE)
//
// Inserts rows with ids from FIRST on into test.TABLE, or sets the email of random rows, each read by
// its primary key. One thread; BATCH of them are one transaction. Nothing is written to the binary
// log. Returns microseconds of that thread's CPU time for each, its share of the commit among it, but
// not what the disk took; NULL if one failed.
#include "session.h"
// (before anything else)
#include <cstdint>
#include <cstdio>

namespace {

using namespace hs::floor;

struct Work {
  uint64_t count, batch;
  uint64_t first_or_rows, seed;
};

using One = bool (*)(TABLE*, const Work&, uint64_t number);

void store(Field* field, const char* form, uint64_t number) {
  char text[64];
  const int size = std::snprintf(text, sizeof text, form, static_cast<unsigned long long>(number));
  field->set_notnull();
  field->store(text, static_cast<size_t>(size), &my_charset_utf8mb4_bin);
}

bool insert(TABLE* table, const Work& work, uint64_t number) {
  const uint64_t id = work.first_or_rows + number;
  restore_record(table, s->default_values);
  table->field[0]->store(static_cast<longlong>(id), true);
  store(table->field[1], "user name %llu", id);
  store(table->field[2], "user%llu@example.com", id);
  store(table->field[3], "2010-02-03 11:22:33", id);
  return table->file->ha_write_row(table->record[0]) == 0;
}

bool update(TABLE* table, const Work& work, uint64_t number) {
  if (!read_row(table, key_at(work.seed, work.first_or_rows, number))) return false;
  store_record(table, record[1]);
  store(table->field[2], "user%llu@example.org", number);
  const int failed = table->file->ha_update_row(table->record[1], table->record[0]);
  return failed == 0 || failed == HA_ERR_RECORD_IS_THE_SAME;
}

double run(UDF_ARGS* arguments, char* is_null, char* error, One one) {
  const Work work{number(arguments, 0), number(arguments, 1), number(arguments, 2),
                  number(arguments, 3)};
  return end_function(is_null, error, [&] {
    return with_table(table_name(arguments), true, [&](THD* thd, TABLE* table) {
      return cost_of_each(thd, table, work.count, work.batch,
                          [&](uint64_t number) { return one(table, work, number); });
    });
  });
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] my_bool hs_floor_insert_init(UDF_INIT* init, UDF_ARGS* arguments,
                                                            char* message) {
  return begin_function(init, arguments, message, "hs_floor_insert(rows, batch, first, 0, table)");
}

[[gnu::visibility("default")]] double hs_floor_insert(UDF_INIT*, UDF_ARGS* arguments, char* is_null,
                                                      char* error) {
  return run(arguments, is_null, error, insert);
}

[[gnu::visibility("default")]] my_bool hs_floor_update_init(UDF_INIT* init, UDF_ARGS* arguments,
                                                            char* message) {
  return begin_function(init, arguments, message,
                        "hs_floor_update(updates, batch, rows, seed, table)");
}

[[gnu::visibility("default")]] double hs_floor_update(UDF_INIT*, UDF_ARGS* arguments, char* is_null,
                                                      char* error) {
  return run(arguments, is_null, error, update);
}
}
