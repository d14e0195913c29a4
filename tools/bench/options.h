// The options of hs bench.
#ifndef HS_TOOLS_BENCH_OPTIONS_H_
#define HS_TOOLS_BENCH_OPTIONS_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

#include "target.h"
#include "workload.h"

namespace hs::bench {

struct Options {
  std::string target = "hs";
  Place place;
  std::string user;  // sql: "root" unless given
  std::string password;
  bool tls = false;
  std::string tls_ca;
  bool prepared = false;
  std::string table = "test.user";
  bool fill = false;

  std::string workload = "find";
  uint32_t in = 100;
  uint32_t range = 100;
  double writes = 0.1;
  uint32_t first_key = 0;
  std::string order = "sequential";
  uint32_t value_size = 0;

  uint32_t rows = 1'000'000;
  std::string distribution = "uniform";
  double theta = 0.99;
  uint32_t hot = 0;
  double cold = 0;
  uint64_t seed = 1;

  size_t connections = 100;
  size_t depth = 1;
  double rate = 0;
  uint64_t requests = 0;
  double seconds = 0;
  uint64_t warm_up = 0;
  pid_t server_pid = 0;
  bool json = false;
  bool quiet = false;

  bool is_sql() const { return target == "sql"; }
  bool is_cache() const { return target == "memcached" || target == "redis"; }
};

struct WrongUsage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Whether an option ("--rows") was on the command line.
using IsGiven = std::function<bool(const char* option)>;

// Refuses options that do not go together, and fills in the defaults that depend on others. Each
// option is within its range already. Throws WrongUsage.
void check(Options& options, const IsGiven& is_given);

// The workload that checked options ask for. `now` makes the values of its updates new.
Workload make_workload(const Options& options, uint64_t now);

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_OPTIONS_H_
