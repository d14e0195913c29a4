#include "command_line.h"

namespace hs::bench {

namespace {

constexpr uint64_t kMany = 1'000'000'000'000;
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
  app.add_flag("--tls", options.tls, "hs, memcached and redis: over TLS");
  app.add_option("--tls-ca", options.tls_ca,
                 "a file with the certificates that vouch for the server (any will do)");
  app.add_option("--user", options.user,
                 "the account to log in to; hs: by mysql_native_password (SQL: root, hs: none)");
  app.add_option("--password", options.password, "its password (none)");
  app.add_flag("--prepared", options.prepared, "SQL: prepared statements, not the text protocol");
  app.add_option("--table", options.table, "hs and SQL: DATABASE.TABLE (test.user)");
  app.add_flag("--fill", options.fill, "memcached and redis: put in the rows 1 to --rows, and end");
}

void declare_workload(CLI::App& app, Options& options) {
  app.add_option(
         "--workload", options.workload,
         "find, in, range, count, insert, update, upsert, transaction, or mixed: finds and updates "
         "(find)")
      ->check(CLI::IsMember(
          {"find", "in", "range", "count", "insert", "update", "upsert", "transaction", "mixed"}));
  app.add_option("--in", options.in, "in: keys of a request (100)")
      ->check(CLI::Range(uint32_t{1}, uint32_t{65535}));
  app.add_option("--range", options.range, "range, count: rows of a request (100)")
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

}  // namespace

void declare(CLI::App& app, Options& options) {
  declare_target(app, options);
  declare_workload(app, options);
  declare_keys(app, options);
  declare_load(app, options);
}

}  // namespace hs::bench
