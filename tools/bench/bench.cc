// hs bench: puts load on a server of rows and reports the result. It drives the HandlerSocket
// protocol, SQL, memcached and Redis with the same rows and keys, and checks every answer. The
// table is test.user of ./run, or another one like it. See docs/hs-bench.md.
#include "bench.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <iomanip>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "command_line.h"
#include "epoll_target.h"
#include "hs_dialect.h"
#include "memcached_dialect.h"
#include "options.h"
#include "process_cpu.h"
#include "redis_dialect.h"
#include "report.h"
#include "target.h"
#include "tls.h"
#include "workload.h"
#ifdef HS_BENCH_SQL
#include "sql_target.h"
#endif

namespace hs::bench {
namespace {

std::unique_ptr<Dialect> make_dialect(const Options& options, const Workload& workload) {
  if (options.target == "memcached") return std::make_unique<MemcachedDialect>(workload);
  if (options.target == "redis") return std::make_unique<RedisDialect>(workload);
  return std::make_unique<HsDialect>(workload, Account{options.user, options.password});
}

std::unique_ptr<Target> connect(const Options& options, const Workload& workload) {
  if (!options.is_sql()) {
    return std::make_unique<EpollTarget>(options.place, workload, make_dialect(options, workload),
                                         options.connections, options.depth);
  }
#ifdef HS_BENCH_SQL
  const SqlOptions sql{options.user, options.password, options.prepared};
  return std::make_unique<SqlTarget>(options.place, workload, sql, options.connections);
#else
  throw Failure("this hs was built without the client library of MariaDB");
#endif
}

// Shows the progress of a phase in one line on stderr.
class ProgressLine {
 public:
  void show(const Progress& now) {
    const double seconds = now.seconds - last_.seconds;
    const auto answers = static_cast<double>(now.answers - last_.answers);
    std::cerr << "\r" << now.answers << " requests, " << std::fixed << std::setprecision(0)
              << (seconds > 0 ? answers / seconds : 0) << " per second, " << now.errors
              << " errors   " << std::flush;
    last_ = now;
  }

  // Removes the line.
  void end() const {
    if (last_.seconds > 0) std::cerr << "\r" << std::string(70, ' ') << "\r" << std::flush;
  }

 private:
  Progress last_;
};

// The warm-up takes the first requests, the measured part those behind them.
Report measure(const Options& options, const Workload& workload) {
  const std::unique_ptr<Target> target = connect(options, workload);
  Report report;
  if (options.warm_up > 0) report.tally = target->run({0, options.warm_up, 0, 0, {}});
  const Tally warm_up = std::move(report.tally);
  ProgressLine line;
  Phase phase{options.warm_up, options.requests, options.seconds, options.rate, {}};
  if (!options.quiet) phase.progress = [&line](const Progress& now) { line.show(now); };
  const double before = options.server_pid > 0 ? process_cpu_seconds(options.server_pid) : 0;
  report.tally = target->run(phase);
  if (options.server_pid > 0) {
    report.server_cpu_seconds = process_cpu_seconds(options.server_pid) - before;
  }
  line.end();
  report.tally.errors += warm_up.errors;
  if (report.tally.first_error.empty()) report.tally.first_error = warm_up.first_error;
  return report;
}

std::string target_name(const Options& options) {
  if (!options.is_sql()) return options.target;
  return options.prepared ? "sql prepared" : "sql text";
}

std::string distribution_name(const Options& options) {
  if (options.workload == "insert") return options.order;
  return options.hot > 0 ? "hot" : options.distribution;
}

int run(Options& options) {
  std::optional<Tls> tls;
  if (options.tls) options.place.tls = &tls.emplace(options.tls_ca);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto now_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  const Workload workload = make_workload(options, static_cast<uint64_t>(now_ns));
  Report report = measure(options, workload);
  report.target = target_name(options);
  report.workload = options.workload;
  report.distribution = distribution_name(options);
  report.connections = options.connections;
  report.depth = options.depth;
  report.rate = options.rate;
  std::cout << (options.json ? as_json(report) : as_text(report)) << std::flush;
  if (!std::cout) throw Failure("the output cannot be written");
  return report.tally.errors == 0 ? 0 : 1;
}

}  // namespace

int bench(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // see Tls
  Options options;
  CLI::App app(
      "Load on a server of rows, by HandlerSocket, SQL, memcached or Redis; every answer "
      "is checked.",
      "hs bench");
  declare(app, options);
  try {
    app.parse(argc, argv);
    check(options, [&](const char* option) { return app.count(option) > 0; });
    return run(options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const WrongUsage& error) {
    std::cerr << "hs bench: " << error.what() << "\n";
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "hs bench: " << error.what() << "\n";
    return 1;
  }
}

}  // namespace hs::bench
