// hs-bench: random lookups by primary key in the table test.user of ./run, over the HandlerSocket
// protocol or over SQL. Every answer is compared with the row that must come.
//
// Exit status: 0 all answers were right, 1 some were wrong or the run failed, 2 wrong usage.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>

#include "hs_target.h"
#include "process_cpu.h"
#include "report.h"
#include "target.h"
#ifdef HS_BENCH_SQL
#include "sql_target.h"
#endif

namespace hs::bench {
namespace {

struct Options {
  std::string target = "hs";
  Place place;
  std::string user = "root";
  std::string password;
  bool prepared = false;
  size_t connections = 100;
  size_t depth = 1;
  uint64_t requests = 0;
  double seconds = 0;
  uint64_t warm_up = 0;
  uint32_t rows = 1'000'000;
  uint32_t hot = 0;
  double cold = 0;
  uint64_t seed = 1;
  pid_t server_pid = 0;
  bool json = false;
  bool quiet = false;
};

void declare(CLI::App& app, Options& options) {
  constexpr uint64_t kMany = 1'000'000'000'000;
  app.add_option("--target", options.target, "what to drive: hs or sql (hs)")
      ->check(CLI::IsMember({"hs", "sql"}));
  app.add_option("--host", options.place.host, "where the server is (127.0.0.1)");
  auto* port = app.add_option("--port", options.place.port, "its port: of HandlerSocket, or of SQL")
                   ->check(CLI::Range(1, 65535));
  app.add_option("--socket", options.place.socket, "its Unix socket, instead of host and port")
      ->excludes(port);
  app.add_option("--user", options.user, "SQL: the account (root)");
  app.add_option("--password", options.password, "SQL: its password (none)");
  app.add_flag("--prepared", options.prepared, "SQL: prepared statements, not the text protocol");
  app.add_option("--connections", options.connections, "how many connections (100)")
      ->check(CLI::Range(1, 20000));
  app.add_option("--depth", options.depth, "requests on the way on each connection (1)")
      ->check(CLI::Range(1, 100000));
  auto* requests = app.add_option("--requests", options.requests, "how many lookups (1000000)")
                       ->check(CLI::Range(uint64_t{1}, kMany));
  app.add_option("--seconds", options.seconds, "or for how long")
      ->check(CLI::Range(0.001, 1e6))
      ->excludes(requests);
  app.add_option("--warm-up", options.warm_up, "lookups before those, not measured (0)")
      ->check(CLI::Range(uint64_t{0}, kMany));
  app.add_option("--rows", options.rows, "keys are uniform over 1 to this (1000000)")
      ->check(CLI::Range(uint32_t{1}, UINT32_MAX));
  app.add_option("--hot", options.hot,
                 "keys are uniform over 1 to this, but for --cold of them (rows)")
      ->check(CLI::Range(uint32_t{1}, UINT32_MAX));
  app.add_option("--cold", options.cold, "with --hot: the share of keys uniform over all rows (0)")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--seed", options.seed, "the same seed gives the same keys (1)");
  app.add_option("--server-pid", options.server_pid, "the server's process, for its CPU time")
      ->check(CLI::Range(1, 1 << 22));
  app.add_flag("--json", options.json, "one line of JSON");
  app.add_flag("--quiet", options.quiet, "no progress on stderr");
}

// What CLI11 cannot express; throws CLI::ValidationError.
void check(Options& options) {
  if (options.place.socket.empty() && options.place.port == 0) {
    throw CLI::ValidationError("--port or --socket is required");
  }
  if (options.target == "sql" && options.depth != 1) {
    throw CLI::ValidationError("--depth: SQL has one statement on the way, --depth 1");
  }
  if (options.hot > options.rows) throw CLI::ValidationError("--hot: more than --rows");
  if (options.target == "hs" && options.prepared) {
    throw CLI::ValidationError("--prepared is for --target sql");
  }
  if (options.requests == 0 && options.seconds == 0) options.requests = 1'000'000;
}

std::unique_ptr<Target> connect(const Options& options) {
  if (options.target == "hs") {
    return std::make_unique<HsTarget>(options.place, options.connections, options.depth);
  }
#ifdef HS_BENCH_SQL
  const SqlOptions sql{options.user, options.password, options.prepared};
  return std::make_unique<SqlTarget>(options.place, sql, options.connections);
#else
  throw Failure("this hs-bench was built without the client library of MariaDB");
#endif
}

Report measure(const Options& options) {
  const std::unique_ptr<Target> target = connect(options);
  const bool some_are_hot = options.hot > 0;
  const Keys keys(options.seed, options.rows, some_are_hot ? options.hot : options.rows,
                  some_are_hot ? options.cold : 1);
  Phase phase{options.requests, options.warm_up, 0, {}};  // keys that the measured part has not
  Report report;
  if (options.warm_up > 0) report.tally.merge(target->run(keys, phase));
  const Tally warm_up = std::move(report.tally);
  phase = {0, options.requests, options.seconds, {}};
  if (!options.quiet) {
    phase.progress = [](uint64_t answers) { std::cerr << "\r" << answers << " …" << std::flush; };
  }
  const double before = options.server_pid > 0 ? process_cpu_seconds(options.server_pid) : 0;
  report.tally = target->run(keys, phase);
  if (options.server_pid > 0) {
    report.server_cpu_seconds = process_cpu_seconds(options.server_pid) - before;
  }
  report.tally.errors += warm_up.errors;
  if (report.tally.first_error.empty()) report.tally.first_error = warm_up.first_error;
  report.target = options.target == "hs" ? "hs" : options.prepared ? "sql prepared" : "sql text";
  report.connections = options.connections;
  report.depth = options.depth;
  return report;
}

int run(const Options& options) {
  const Report report = measure(options);
  if (!options.quiet) std::cerr << "\r";
  std::cout << (options.json ? as_json(report) : as_text(report)) << std::flush;
  return report.tally.errors == 0 ? 0 : 1;
}

}  // namespace
}  // namespace hs::bench

int main(int argc, char** argv) {
  hs::bench::Options options;
  CLI::App app("Random lookups by primary key in test.user of ./run; every answer is checked.",
               "hs-bench");
  hs::bench::declare(app, options);
  try {
    app.parse(argc, argv);
    hs::bench::check(options);
    return hs::bench::run(options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    std::cerr << "hs-bench: " << error.what() << "\n";
    return 1;
  }
}
