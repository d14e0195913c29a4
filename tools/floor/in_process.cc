// SPDX-License-Identifier: GPL-2.0-only
// hs_floor(LOOKUPS, BATCH, ROWS, SEED): what a lookup costs inside the server when it does nothing
// but call the handler. A user-defined function for the benchmark, to be loaded into its server
// only:
//
//   CREATE FUNCTION hs_floor RETURNS REAL SONAME 'hs_floor.so';
//   SELECT hs_floor(1000000, 1024, 1000000, 1);
//
// Looks up random rows of test.user by primary key on one thread. The table stays open. It is
// locked, and its index begun, once for BATCH lookups. Field::val_str turns name, email and date of
// each row into text, in one buffer. No network, no protocol, no checks. Returns microseconds of
// that thread's CPU time for each lookup; NULL if a row was missing or the table could not be used.
#include "mariadb/server_headers.h"
// (before anything else)
#include <time.h>

#include <cstdint>
#include <string>
#include <thread>

namespace {

constexpr longlong kMost = 1'000'000'000;

struct Work {
  uint64_t lookups, batch, rows, seed;
};

double cpu_seconds() {
  timespec time;
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// SplitMix64, as in hs-bench: the same keys.
uint32_t key_at(const Work& work, uint64_t lookup) {
  uint64_t bits = work.seed * 0xd1342543de82ef95 + lookup * 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  bits ^= bits >> 31;
  return static_cast<uint32_t>(((bits >> 32) * work.rows) >> 32) + 1;
}

bool look_up(TABLE* table, uint32_t key, std::string* out) {
  uchar bytes[4];
  int4store(bytes, key);
  uchar* const record = table->record[0];
  if (table->file->ha_index_read_map(record, bytes, 1, HA_READ_KEY_EXACT) != 0) return false;
  for (uint i = 1; i <= 3; ++i) {
    char room[512];
    String text(room, sizeof room, &my_charset_bin);
    const String* const value = table->field[i]->val_str(&text, &text);
    out->append(value->ptr(), value->length()).push_back('\t');
  }
  return true;
}

bool look_up_batch(THD* thd, TABLE* table, const Work& work, uint64_t first, std::string* out) {
  thd->reset_for_next_command();
  thd->set_query_id(next_query_id());
  thd->set_time();
  table->query_id = thd->query_id;
  TABLE* tables[1] = {table};
  MYSQL_LOCK* const lock = mysql_lock_tables(thd, tables, 1, 0);
  if (lock == nullptr) return false;
  bool found = table->file->ha_index_init(table->s->primary_key, true) == 0;
  const uint64_t end = std::min(first + work.batch, work.lookups);
  for (uint64_t i = first; found && i < end; ++i) found = look_up(table, key_at(work, i), out);
  if (table->file->inited != handler::NONE) table->file->ha_index_end();
  mysql_unlock_tables(thd, lock);
  trans_commit_stmt(thd);
  out->clear();
  return found;
}

// Microseconds for each lookup; negative: failed.
double look_up_all(THD* thd, TABLE* table, const Work& work) {
  for (uint i = 1; i <= 3; ++i) bitmap_set_bit(table->read_set, table->field[i]->field_index);
  std::string out;
  const double begin = cpu_seconds();
  for (uint64_t first = 0; first < work.lookups; first += work.batch)
    if (!look_up_batch(thd, table, work, first, &out)) return -1;
  return (cpu_seconds() - begin) * 1e6 / static_cast<double>(work.lookups);
}

double run(const Work& work) {
  THD* const thd = create_background_thd();
  void* const saved = thd_attach_thd(thd);
  thd->thread_stack = static_cast<char*>(__builtin_frame_address(0));
  lex_start(thd);
  thd->reset_for_next_command();
  thd->lex->sql_command = SQLCOM_SELECT;
  const LEX_CSTRING database = {STRING_WITH_LEN("test")};
  const LEX_CSTRING name = {STRING_WITH_LEN("user")};
  TABLE_LIST list;
  list.init_one_table(&database, &name, nullptr, TL_READ);
  Open_table_context context(thd, 0);
  double result = -1;
  if (!open_table(thd, &list, &context)) {
    TABLE* const table = list.table;
    bitmap_clear_all(table->read_set);
    if (table->s->fields >= 4 && table->s->primary_key == 0) result = look_up_all(thd, table, work);
  }
  close_thread_tables(thd);
  thd->release_transactional_locks();
  lex_end(thd->lex);
  thd_detach_thd(saved);
  destroy_background_thd(thd);
  return result;
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] my_bool hs_floor_init(UDF_INIT* init, UDF_ARGS* arguments,
                                                     char* message) {
  init->maybe_null = 1;
  init->decimals = 4;
  bool right = arguments->arg_count == 4;
  for (uint i = 0; right && i < 4; ++i) {
    arguments->arg_type[i] = INT_RESULT;
    const auto* const value = reinterpret_cast<longlong*>(arguments->args[i]);
    right = value != nullptr && *value >= (i == 3 ? 0 : 1) && *value <= kMost;
  }
  if (right) return 0;
  strmake(message, "hs_floor(lookups, batch, rows, seed)", MYSQL_ERRMSG_SIZE - 1);
  return 1;
}

[[gnu::visibility("default")]] double hs_floor(UDF_INIT*, UDF_ARGS* arguments, char* is_null,
                                               char* error) {
  const auto argument = [&](int i) {
    return static_cast<uint64_t>(*reinterpret_cast<longlong*>(arguments->args[i]));
  };
  const Work work{argument(0), argument(1), argument(2), argument(3)};
  double result = -1;
  // On a new thread, since the one that executes the SELECT has its own THD.
  try {
    std::thread([&] { result = run(work); }).join();
  } catch (const std::system_error&) {
    *error = 1;
  }
  *is_null = result < 0;
  return result;
}
}
