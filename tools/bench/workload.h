// Which requests are made, in which order, and what their answers must contain: the same for every
// target.
#ifndef HS_TOOLS_BENCH_WORKLOAD_H_
#define HS_TOOLS_BENCH_WORKLOAD_H_

#include <array>
#include <cstdint>
#include <string>

#include "keys.h"
#include "known_row.h"

namespace hs::bench {

enum class Kind : uint8_t { kFind, kIn, kRange, kCount, kInsert, kUpdate, kUpsert, kTransaction };

// One request. The rest of it follows from its number.
struct Request {
  uint64_t number = 0;
  uint32_t key = 0;  // its only key, or its first one
  Kind kind = Kind::kFind;
};

// All requests of a run. Must not change during the run.
struct Workload {
  // The table of hs and SQL.
  std::string database = "test";
  std::string table = "user";

  Kind kind = Kind::kFind;
  Keys keys = Keys::uniform(1, 1);  // for kInsert: each key once
  uint32_t count = 1;               // the keys of a kIn, the rows of a kRange or kCount
  double writes = 0;                // the share of kFind that is kUpdate instead
  bool overwrite = false;           // a kInsert may find its row there (memcached and redis)
  EmailForm email;
  uint64_t seed = 1;
  uint64_t first_update = 0;  // makes the values of updates differ from those of earlier runs

  Request request(uint64_t number) const;

  // How many rows come for a request, and which. For a kCount it is one, with their number.
  uint32_t row_count(const Request& request) const;
  uint32_t key(const Request& request, uint32_t i) const;
  KnownRow row(uint32_t key) const { return KnownRow(key, email); }

  // What a kTransaction does between its begin and its commit: it finds two rows and updates the
  // first.
  std::array<Request, 3> parts(const Request& request) const;

  bool has_writes() const;

  // Appends the user_email that a request writes: with kUpdate and kUpsert a new one.
  void append_email(const Request& request, std::string* output) const;
  // Appends user_name, user_email and created as a request writes them, with TABs between them.
  void append_row(const Request& request, std::string* output) const;
};

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_WORKLOAD_H_
