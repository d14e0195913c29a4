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
#include "session.h"
// (before anything else)
#include <charconv>
#include <cstdint>
#include <memory>
#include <string_view>

#include "line_server.h"

namespace {

using namespace hs::floor;

constexpr uint64_t kMostSeconds = 3600;

class Finder {
 public:
  Finder(THD* thd, TABLE* table) : thd_(thd), table_(table) {}

  bool begin() {
    lock_ = begin_statement(thd_, table_);
    return lock_ != nullptr;
  }
  void end() { failed_ |= !end_statement(thd_, table_, lock_, true); }

  char* find(std::string_view key, char* out) {
    uint32_t number = 0;
    std::from_chars(key.data(), key.data() + key.size(), number);
    if (!read_row(table_, number)) {
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
  static char* append(char* out, std::string_view text) {
    std::memcpy(out, text.data(), text.size());
    return out + text.size();
  }

  THD* const thd_;
  TABLE* const table_;
  MYSQL_LOCK* lock_ = nullptr;
  bool failed_ = false;
  uint64_t found_ = 0;
};

double serve(THD* thd, TABLE* table, uint16_t port, int patience_ms) {
  const auto server = std::make_unique<LineServer>(port);
  if (!server->listens()) return -1;
  Finder finder(thd, table);
  server->serve(
      patience_ms, [&] { return finder.begin(); },
      [&](std::string_view key, char* out) { return finder.find(key, out); },
      [&] { finder.end(); });
  return finder.result();
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] my_bool hs_floor_serve_init(UDF_INIT* init, UDF_ARGS* arguments,
                                                           char* message) {
  return begin_function(init, arguments, message, "hs_floor_serve(port, seconds, 1, 0, table)");
}

[[gnu::visibility("default")]] double hs_floor_serve(UDF_INIT*, UDF_ARGS* arguments, char* is_null,
                                                     char* error) {
  const auto port = static_cast<uint16_t>(std::min<uint64_t>(number(arguments, 0), UINT16_MAX));
  const auto patience = static_cast<int>(std::min(number(arguments, 1), kMostSeconds));
  return end_function(is_null, error, [&] {
    return with_table(table_name(arguments), false, [&](THD* thd, TABLE* table) {
      return serve(thd, table, port, patience * 1000);
    });
  });
}
}
