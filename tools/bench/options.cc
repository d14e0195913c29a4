#include "options.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace hs::bench {

namespace {

constexpr uint64_t kMany = 1'000'000'000'000;
constexpr size_t kMaxOnTheWay = 10'000'000;
constexpr size_t kFillDepth = 64;
constexpr uint32_t kMinValueSize = 64;  // what an update writes is never longer

void declare_target(CLI::App& app, Options& options) {
  app.add_option("--target", options.target, "what to drive: hs, sql, memcached or redis (hs)")
      ->check(CLI::IsMember({"hs", "sql", "memcached", "redis"}));
  app.add_option("--host", options.place.host, "where the server is (127.0.0.1)");
  auto* port = app.add_option("--port", options.place.port,
                              "its port; for hs that of the read port, or of the write port for "
                              "workloads that write")
                   ->check(CLI::Range(1, 65535));
  app.add_option("--socket", options.place.socket, "its Unix socket, instead of host and port")
      ->excludes(port);
  app.add_option("--user", options.user, "SQL: the account (root)");
  app.add_option("--password", options.password, "SQL: its password (none)");
  app.add_flag("--prepared", options.prepared, "SQL: prepared statements, not the text protocol");
  app.add_option("--table", options.table, "hs and SQL: DATABASE.TABLE (test.user)");
  app.add_flag("--fill", options.fill, "memcached and redis: put in the rows 1 to --rows, and end");
}

void declare_workload(CLI::App& app, Options& options) {
  app.add_option("--workload", options.workload,
                 "find, in, range, insert, update, or mixed: finds and updates (find)")
      ->check(CLI::IsMember({"find", "in", "range", "insert", "update", "mixed"}));
  app.add_option("--in", options.in, "in: keys of a request (100)")
      ->check(CLI::Range(uint32_t{1}, uint32_t{65535}));
  app.add_option("--range", options.range, "range: rows of a request (100)")
      ->check(CLI::Range(uint32_t{1}, uint32_t{1'000'000}));
  app.add_option("--writes", options.writes, "mixed: the share of updates (0.1)")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--first-key", options.first_key, "insert: ids from here on (behind --rows)")
      ->check(CLI::Range(uint32_t{1}, UINT32_MAX));
  app.add_option("--order", options.order, "insert: ids come sequential or random (sequential)")
      ->check(CLI::IsMember({"sequential", "random"}));
  app.add_option("--value-size", options.value_size, "user_email is padded to so many bytes (not)")
      ->check(CLI::Range(kMinValueSize, uint32_t{1'000'000}));
}

void declare_keys(CLI::App& app, Options& options) {
  app.add_option("--rows", options.rows, "keys are from 1 to this (1000000)")
      ->check(CLI::Range(uint32_t{1}, UINT32_MAX));
  app.add_option("--distribution", options.distribution,
                 "of the keys: uniform, zipfian or sequential (uniform)")
      ->check(CLI::IsMember({"uniform", "zipfian", "sequential"}));
  app.add_option("--theta", options.theta, "zipfian: its skew (0.99)")
      ->check(CLI::Range(0.01, 0.9999));
  app.add_option("--hot", options.hot,
                 "uniform: keys are from 1 to this, but for --cold of them (rows)")
      ->check(CLI::Range(uint32_t{1}, UINT32_MAX));
  app.add_option("--cold", options.cold, "with --hot: the share of keys from all rows (0)")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--seed", options.seed, "the same seed gives the same keys (1)");
}

void declare_load(CLI::App& app, Options& options) {
  app.add_option("--connections", options.connections, "how many connections (100)")
      ->check(CLI::Range(1, 20000));
  app.add_option("--depth", options.depth, "requests on the way on each connection (1)")
      ->check(CLI::Range(1, 100000));
  app.add_option("--rate", options.rate,
                 "requests per second of all connections; latency counts from when a request is "
                 "due (as fast as answers come)")
      ->check(CLI::Range(0.001, 1e8));
  auto* requests = app.add_option("--requests", options.requests, "how many requests (1000000)")
                       ->check(CLI::Range(uint64_t{1}, kMany));
  app.add_option("--seconds", options.seconds, "or for how long")
      ->check(CLI::Range(0.001, 1e6))
      ->excludes(requests);
  app.add_option("--warm-up", options.warm_up, "requests before those, not measured (0)")
      ->check(CLI::Range(uint64_t{0}, kMany));
  app.add_option("--server-pid", options.server_pid, "the server's process, for its CPU time")
      ->check(CLI::Range(1, 1 << 22));
  app.add_flag("--json", options.json, "one line of JSON");
  app.add_flag("--quiet", options.quiet, "no progress on stderr");
}

[[noreturn]] void refuse(const std::string& why) { throw CLI::ValidationError(why); }

bool is_name(std::string_view text) {
  constexpr size_t kMaxName = 64;
  return !text.empty() && text.size() <= kMaxName && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

void check_table(const std::string& table) {
  const size_t dot = table.find('.');
  if (dot == std::string::npos || !is_name(table.substr(0, dot)) ||
      !is_name(table.substr(dot + 1))) {
    refuse("--table: DATABASE.TABLE, of letters, digits and _");
  }
}

// Options that another one makes meaningless.
void check_use(const CLI::App& app, const Options& options) {
  const auto only = [&](const char* option, bool fits, const char* with) {
    if (app.count(option) > 0 && !fits) refuse(std::string(option) + " is for " + with);
  };
  only("--prepared", options.is_sql(), "--target sql");
  only("--user", options.is_sql(), "--target sql");
  only("--password", options.is_sql(), "--target sql");
  only("--table", !options.is_cache(), "--target hs and sql");
  only("--fill", options.is_cache(), "--target memcached and redis");
  only("--in", options.workload == "in", "--workload in");
  only("--range", options.workload == "range", "--workload range");
  only("--writes", options.workload == "mixed", "--workload mixed");
  only("--first-key", options.workload == "insert", "--workload insert");
  only("--order", options.workload == "insert", "--workload insert");
  only("--distribution", options.workload != "insert", "workloads other than insert");
  only("--theta", options.distribution == "zipfian", "--distribution zipfian");
  only("--hot", options.distribution == "uniform", "--distribution uniform");
  only("--cold", options.hot > 0, "--hot");
}

// The ids that inserts may use: as many as there are requests, or all.
uint64_t ids(const Options& options) {
  const uint64_t all = uint64_t{UINT32_MAX} - options.first_key + 1;
  return options.requests > 0 ? std::min(all, options.warm_up + options.requests) : all;
}

Keys make_keys(const Options& options) {
  if (options.fill) return Keys::sequential(1, options.rows);
  if (options.workload == "insert") {
    return options.order == "random"
               ? Keys::scattered(options.seed, options.first_key, ids(options))
               : Keys::sequential(options.first_key, ids(options));
  }
  // A range begins where all of its rows are behind its key.
  const uint32_t rows =
      options.workload == "range" ? options.rows - options.range + 1 : options.rows;
  if (options.distribution == "zipfian") return Keys::zipfian(options.seed, rows, options.theta);
  if (options.distribution == "sequential") return Keys::sequential(1, rows);
  if (options.hot > 0) {
    return Keys::hot(options.seed, rows, std::min(options.hot, rows), options.cold);
  }
  return Keys::uniform(options.seed, rows);
}

}  // namespace

void declare(CLI::App& app, Options& options) {
  declare_target(app, options);
  declare_workload(app, options);
  declare_keys(app, options);
  declare_load(app, options);
}

void check(const CLI::App& app, Options& options) {
  if (options.place.socket.empty() && options.place.port == 0) {
    refuse("--port or --socket is required");
  }
  check_use(app, options);
  check_table(options.table);
  if (options.is_sql() && options.depth != 1) {
    refuse("--depth: SQL has one statement on the way, --depth 1");
  }
  if (options.is_cache() && options.workload == "range") {
    refuse("--workload range: " + options.target + " has no order of keys");
  }
  if (options.hot > options.rows) refuse("--hot: more than --rows");
  if (options.workload == "range" && options.range > options.rows) {
    refuse("--range: more than --rows");
  }
  if (options.fill) {
    if (app.count("--workload") + app.count("--requests") + app.count("--seconds") > 0) {
      refuse("--fill has no --workload, --requests or --seconds");
    }
    options.workload = "fill";
    options.requests = options.rows;
    if (app.count("--depth") == 0) options.depth = kFillDepth;
  }
  if (options.connections * options.depth > kMaxOnTheWay) {
    refuse("--connections times --depth is more than " + std::to_string(kMaxOnTheWay));
  }
  if (options.requests == 0 && options.seconds == 0) options.requests = 1'000'000;
  if (options.workload == "insert") {
    if (options.first_key == 0 && options.rows == UINT32_MAX) refuse("--first-key is required");
    if (options.first_key == 0) options.first_key = options.rows + 1;
    if (ids(options) < options.warm_up + options.requests) {
      refuse("--requests: there are not so many ids from --first-key on");
    }
  }
}

Workload make_workload(const Options& options, uint64_t now) {
  static const std::map<std::string_view, Kind> kKinds = {
      {"find", Kind::kFind},     {"in", Kind::kIn},         {"range", Kind::kRange},
      {"insert", Kind::kInsert}, {"update", Kind::kUpdate}, {"mixed", Kind::kFind},
      {"fill", Kind::kInsert}};
  Workload workload;
  const size_t dot = options.table.find('.');
  workload.database = options.table.substr(0, dot);
  workload.table = options.table.substr(dot + 1);
  workload.kind = kKinds.at(options.workload);
  workload.keys = make_keys(options);
  if (options.workload == "in") workload.count = options.in;
  if (options.workload == "range") workload.count = options.range;
  if (options.workload == "mixed") workload.writes = options.writes;
  workload.overwrite = options.fill;
  workload.email = {options.value_size, options.workload == "mixed"};
  workload.seed = options.seed;
  workload.first_update = now;
  return workload;
}

}  // namespace hs::bench
