// SPDX-License-Identifier: GPL-2.0-only
#include "session.h"

#include <time.h>

#include <system_error>
#include <thread>

namespace hs::floor {

namespace {

double on_this_thread(const std::string& name, bool writes,
                      const std::function<double(THD*, TABLE*)>& work) {
  THD* const thd = create_background_thd();
  void* const saved = thd_attach_thd(thd);
  thd->thread_stack = static_cast<char*>(__builtin_frame_address(0));
  lex_start(thd);
  thd->reset_for_next_command();
  thd->lex->sql_command = writes ? SQLCOM_INSERT : SQLCOM_SELECT;
  const LEX_CSTRING database = {STRING_WITH_LEN("test")};
  const LEX_CSTRING table_name = {name.c_str(), name.size()};
  TABLE_LIST list;
  list.init_one_table(&database, &table_name, nullptr, writes ? TL_WRITE : TL_READ);
  Open_table_context context(thd, 0);
  double result = -1;
  if (!open_table(thd, &list, &context)) {
    TABLE* const table = list.table;
    table->reginfo.lock_type = list.lock_type;  // open_table() assumes a read
    bitmap_clear_all(table->read_set);
    bitmap_clear_all(table->write_set);
    if (table->s->fields >= 4 && table->s->primary_key == 0) {
      for (uint i = writes ? 0 : 1; i <= 3; ++i) {
        bitmap_set_bit(table->read_set, table->field[i]->field_index);
        if (writes) bitmap_set_bit(table->write_set, table->field[i]->field_index);
      }
      result = work(thd, table);
    }
  }
  close_thread_tables(thd);
  thd->release_transactional_locks();
  lex_end(thd->lex);
  thd_detach_thd(saved);
  destroy_background_thd(thd);
  return result;
}

}  // namespace

double cpu_seconds() {
  timespec time;
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

uint32_t key_at(uint64_t seed, uint64_t rows, uint64_t number) {
  uint64_t bits = seed * 0xd1342543de82ef95 + number * 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  bits ^= bits >> 31;
  return static_cast<uint32_t>(((bits >> 32) * rows) >> 32) + 1;
}

bool read_row(TABLE* table, uint32_t key) {
  uchar bytes[4];
  int4store(bytes, key);
  return table->file->ha_index_read_map(table->record[0], bytes, 1, HA_READ_KEY_EXACT) == 0;
}

double with_table(const std::string& name, bool writes,
                  const std::function<double(THD*, TABLE*)>& work) {
  double result = -1;
  std::thread([&] { result = on_this_thread(name, writes, work); }).join();
  return result;
}

MYSQL_LOCK* begin_statement(THD* thd, TABLE* table) {
  thd->reset_for_next_command();
  thd->set_query_id(next_query_id());
  thd->set_time();
  table->query_id = thd->query_id;
  TABLE* tables[1] = {table};
  MYSQL_LOCK* const lock = mysql_lock_tables(thd, tables, 1, 0);
  if (lock == nullptr || table->file->ha_index_init(table->s->primary_key, true) == 0) return lock;
  mysql_unlock_tables(thd, lock);
  return nullptr;
}

void log_rows(THD* thd) {
  thd->variables.binlog_format = BINLOG_FORMAT_ROW;
  thd->variables.option_bits |= OPTION_BIN_LOG;
  thd->variables.binlog_annotate_row_events = false;
  thd->set_current_stmt_binlog_format_row();
}

bool end_statement(THD* thd, TABLE* table, MYSQL_LOCK* lock, bool done) {
  table->file->ha_index_end();
  if (done) {
    done = !trans_commit_stmt(thd);
  } else {
    trans_rollback_stmt(thd);
  }
  mysql_unlock_tables(thd, lock);
  return done;
}

my_bool begin_function(UDF_INIT* init, UDF_ARGS* arguments, char* message, const char* usage) {
  init->maybe_null = 1;
  init->decimals = 4;
  bool right = arguments->arg_count == 5;
  for (uint i = 0; right && i < 4; ++i) {
    arguments->arg_type[i] = INT_RESULT;
    const auto* const value = reinterpret_cast<longlong*>(arguments->args[i]);
    right = value != nullptr && *value >= (i == 3 ? 0 : 1) && *value <= kMost;
  }
  if (right) {
    arguments->arg_type[4] = STRING_RESULT;
    right = arguments->args[4] != nullptr && arguments->lengths[4] <= NAME_CHAR_LEN;
  }
  if (right) return 0;
  strmake(message, usage, MYSQL_ERRMSG_SIZE - 1);
  return 1;
}

uint64_t number(const UDF_ARGS* arguments, int place) {
  return static_cast<uint64_t>(*reinterpret_cast<longlong*>(arguments->args[place]));
}

std::string table_name(const UDF_ARGS* arguments) {
  return {arguments->args[4], arguments->lengths[4]};
}

double end_function(char* is_null, char* error, const std::function<double()>& work) {
  double result = -1;
  try {
    result = work();
  } catch (const std::system_error&) {
    *error = 1;
  }
  *is_null = result < 0;
  return result;
}

}  // namespace hs::floor
