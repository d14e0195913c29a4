// SPDX-License-Identifier: GPL-2.0-only
// hs_floor_serve(PORT, SECONDS, 1, 0, TABLE): the null server inside the database, with the handler
// calls. One more user-defined function of hs_floor.so:
//
//   SELECT hs_floor_serve(9997, 10, 1, 0, 'user');
//
// Serves finds of test.TABLE by primary key on one thread, as hs-null-server does, and as hs_floor
// looks rows up. What is ready at one time is one statement. The two floors together cost more than
// each alone, since the kernel's code and data and the engine's push each other out of the caches:
// a server that does the same system calls and the same handler calls cannot cost less. Ends when the
// last client has gone, or when none has sent anything for SECONDS. Returns the number of lookups;
// NULL if a row was missing, or the port or the table could not be used.
//
// hs_floor_serve_writes does the same with the inserts, updates and upserts of hs bench, and writes
// the binary log: one statement and one commit for the requests of all connections, which it waits
// for.
#include "session.h"
// (before anything else)
#include <charconv>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "line_server.h"

namespace {

using namespace hs::floor;

constexpr uint64_t kMostSeconds = 3600;

char* append(char* out, std::string_view text) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

// The key of a request, its fourth token.
uint32_t key_of(std::string_view line) {
  const std::string_view digits = token(line, 3);
  uint32_t key = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), key);
  return key;
}

class Finder {
 public:
  Finder(THD* thd, TABLE* table) : thd_(thd), table_(table) {}

  bool begin() {
    lock_ = begin_statement(thd_, table_);
    return lock_ != nullptr;
  }
  void end() { failed_ |= !end_statement(thd_, table_, lock_, true); }

  // INDEX OPERATOR COUNT KEY …
  char* answer(std::string_view line, char* out) {
    if (!read_row(table_, key_of(line))) {
      failed_ = true;
      return append(out, "0\t3\n");
    }
    ++found_;
    out = append(out, "0\t3");
    for (uint i = 1; i <= 3; ++i) {
      char room[LineServer::kLongestReply];
      String text(room, sizeof room, &my_charset_bin);
      const String* const value = table_->field[i]->val_str(&text, &text);
      *out++ = '\t';
      // All of them fit, in the table that the benchmark makes.
      out = append(out, {value->ptr(), std::min<size_t>(value->length(), 64)});
    }
    *out++ = '\n';
    return out;
  }

  double result() const { return failed_ ? -1 : static_cast<double>(found_); }

 private:
  THD* const thd_;
  TABLE* const table_;
  MYSQL_LOCK* lock_ = nullptr;
  bool failed_ = false;
  uint64_t found_ = 0;
};

class Writer {
 public:
  Writer(THD* thd, TABLE* table) : thd_(thd), table_(table) { log_rows(thd); }

  bool begin() {
    thd_->lock = begin_statement(thd_, table_);
    if (thd_->lock == nullptr || !table_->file->prepare_for_row_logging()) return false;
    table_->mark_columns_per_binlog_row_image();
    // So that an upsert locks the row in the way as it will need it.
    table_->file->extra(HA_EXTRA_INSERT_WITH_UPDATE);
    return true;
  }

  // INDEX + 4 ID NAME EMAIL CREATED, the same with +U, or INDEX = 1 ID 1 0 U EMAIL
  char* answer(std::string_view line, char* out) {
    constexpr std::string_view kInserted = "0\t1\n";
    constexpr std::string_view kUpdated = "0\t1\t1\n";
    const std::string_view verb = token(line, 1);
    if (verb == "=") {
      failed_ |= !update(line);
    } else {
      const int failed = insert(line);
      failed_ |= failed != 0 && (verb != "+U" || failed != HA_ERR_FOUND_DUPP_KEY || !upsert(line));
    }
    ++written_;
    return append(out, verb == "+" ? kInserted : kUpdated);
  }

  void end() {
    MYSQL_LOCK* const lock = std::exchange(thd_->lock, nullptr);
    thd_->binlog_flush_pending_rows_event(true);
    failed_ |= !end_statement(thd_, table_, lock, true);
    failed_ |= trans_commit(thd_);
  }

  double result() const { return failed_ ? -1 : static_cast<double>(written_); }

 private:
  void store(int field, std::string_view value) {
    table_->field[field]->set_notnull();
    table_->field[field]->store(value.data(), value.size(), &my_charset_utf8mb4_bin);
  }

  int insert(std::string_view line) {
    restore_record(table_, s->default_values);
    for (int field = 0; field < 4; ++field) store(field, token(line, 3 + field));
    return table_->file->ha_write_row(table_->record[0]);
  }

  bool update(std::string_view line) {
    if (!read(line)) return false;
    store(2, token(line, 7));
    return write_updated();
  }

  // The row is there already.
  bool upsert(std::string_view line) {
    if (!read(line)) return false;
    for (int field = 1; field < 4; ++field) store(field, token(line, 3 + field));
    return write_updated();
  }

  bool read(std::string_view line) {
    if (!read_row(table_, key_of(line))) return false;
    store_record(table_, record[1]);
    return true;
  }

  bool write_updated() {
    const int failed = table_->file->ha_update_row(table_->record[1], table_->record[0]);
    return failed == 0 || failed == HA_ERR_RECORD_IS_THE_SAME;
  }

  THD* const thd_;
  TABLE* const table_;
  bool failed_ = false;
  uint64_t written_ = 0;
};

// `how`: LineServer's function that serves.
template <class Work, class How>
double serve(THD* thd, TABLE* table, uint16_t port, How how) {
  const auto server = std::make_unique<LineServer>(port);
  if (!server->listens()) return -1;
  Work work(thd, table);
  how(
      *server, [&] { return work.begin(); },
      [&](std::string_view line, char* out) { return work.answer(line, out); },
      [&] { work.end(); });
  return work.result();
}

double serve_finds(THD* thd, TABLE* table, uint16_t port, int patience_ms) {
  return serve<Finder>(thd, table, port, [=](LineServer& server, auto... does) {
    server.serve(patience_ms, does...);
  });
}

double serve_writes(THD* thd, TABLE* table, uint16_t port, int patience_ms) {
  return serve<Writer>(thd, table, port, [=](LineServer& server, auto... does) {
    server.serve_together(patience_ms, does...);
  });
}

using Serve = double (*)(THD*, TABLE*, uint16_t port, int patience_ms);

double run(UDF_ARGS* arguments, char* is_null, char* error, bool writes, Serve serve) {
  const auto port = static_cast<uint16_t>(std::min<uint64_t>(number(arguments, 0), UINT16_MAX));
  const auto patience = static_cast<int>(std::min(number(arguments, 1), kMostSeconds));
  return end_function(is_null, error, [&] {
    return with_table(table_name(arguments), writes, [&](THD* thd, TABLE* table) {
      return serve(thd, table, port, patience * 1000);
    });
  });
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] my_bool hs_floor_serve_init(UDF_INIT* init, UDF_ARGS* arguments,
                                                           char* message) {
  return begin_function(init, arguments, message, "hs_floor_serve(port, seconds, 1, 0, table)");
}

[[gnu::visibility("default")]] double hs_floor_serve(UDF_INIT*, UDF_ARGS* arguments, char* is_null,
                                                     char* error) {
  return run(arguments, is_null, error, false, serve_finds);
}

[[gnu::visibility("default")]] my_bool hs_floor_serve_writes_init(UDF_INIT* init,
                                                                  UDF_ARGS* arguments,
                                                                  char* message) {
  return begin_function(init, arguments, message,
                        "hs_floor_serve_writes(port, seconds, 1, 0, table)");
}

[[gnu::visibility("default")]] double hs_floor_serve_writes(UDF_INIT*, UDF_ARGS* arguments,
                                                            char* is_null, char* error) {
  return run(arguments, is_null, error, true, serve_writes);
}
}
