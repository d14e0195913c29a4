#include "options.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

namespace hs::bench {

namespace {

constexpr size_t kMaxOnTheWay = 10'000'000;
constexpr size_t kFillDepth = 64;

[[noreturn]] void refuse(const std::string& why) { throw WrongUsage(why); }

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

// NaN passes every check of a range.
void check_numbers(const Options& options) {
  for (const auto& [option, value] :
       {std::pair("--writes", options.writes), std::pair("--theta", options.theta),
        std::pair("--cold", options.cold), std::pair("--rate", options.rate),
        std::pair("--seconds", options.seconds)}) {
    if (std::isnan(value)) refuse(std::string(option) + ": not a number");
  }
}

bool has_range(const Options& options) {
  return options.workload == "range" || options.workload == "count";
}

// Refuses options that have no meaning beside another one.
void check_use(const Options& options, const IsGiven& is_given) {
  const auto only = [&](const char* option, bool fits, const char* with) {
    if (is_given(option) && !fits) refuse(std::string(option) + " is for " + with);
  };
  only("--prepared", options.is_sql(), "--target sql");
  only("--user", !options.is_cache(), "--target hs and sql");
  only("--password", !options.is_cache(), "--target hs and sql");
  only("--tls", !options.is_sql(), "targets but sql");
  only("--tls-ca", options.tls, "--tls");
  only("--table", !options.is_cache(), "--target hs and sql");
  only("--fill", options.is_cache(), "--target memcached and redis");
  only("--in", options.workload == "in", "--workload in");
  only("--range", has_range(options), "--workload range and count");
  only("--writes", options.workload == "mixed", "--workload mixed");
  only("--first-key", options.workload == "insert", "--workload insert");
  only("--order", options.workload == "insert", "--workload insert");
  only("--distribution", options.workload != "insert" && !options.fill, "workloads but insert");
  only("--theta", options.distribution == "zipfian", "--distribution zipfian");
  only("--hot", options.distribution == "uniform", "--distribution uniform");
  only("--hot", options.workload != "insert" && !options.fill, "workloads but insert");
  only("--cold", options.hot > 0, "--hot");
}

// How many ids inserts may use: as many as there are requests, or all.
uint64_t ids(const Options& options) {
  const uint64_t all = uint64_t{UINT32_MAX} - options.first_key + 1;
  return options.requests > 0 ? std::min(all, options.warm_up + options.requests) : all;
}

void set_first_key(Options& options) {
  if (options.first_key == 0 && options.rows == UINT32_MAX) refuse("--first-key is required");
  if (options.first_key == 0) options.first_key = options.rows + 1;
  if (ids(options) < options.warm_up + options.requests) {
    refuse("--requests: there are not so many ids from --first-key on");
  }
}

void set_fill(Options& options, const IsGiven& is_given) {
  if (is_given("--workload") || is_given("--requests") || is_given("--seconds")) {
    refuse("--fill has no --workload, --requests or --seconds");
  }
  options.workload = "fill";
  options.distribution = "sequential";
  options.requests = options.rows;
  if (!is_given("--depth")) options.depth = kFillDepth;
}

Keys make_keys(const Options& options) {
  if (options.workload == "insert") {
    return options.order == "random"
               ? Keys::scattered(options.seed, options.first_key, ids(options))
               : Keys::sequential(options.first_key, ids(options));
  }
  // All rows of a range must exist behind its key.
  const uint32_t rows = has_range(options) ? options.rows - options.range + 1 : options.rows;
  if (options.distribution == "zipfian") return Keys::zipfian(options.seed, rows, options.theta);
  if (options.distribution == "sequential") return Keys::sequential(1, rows);
  if (options.hot > 0) {
    return Keys::hot(options.seed, rows, std::min(options.hot, rows), options.cold);
  }
  return Keys::uniform(options.seed, rows);
}

}  // namespace

void check(Options& options, const IsGiven& is_given) {
  if (options.place.socket.empty() && options.place.port == 0) {
    refuse("--port or --socket is required");
  }
  check_numbers(options);
  check_use(options, is_given);
  check_table(options.table);
  if (!options.is_sql() && options.user.empty() && !options.password.empty()) {
    refuse("--password needs --user");
  }
  if (options.is_sql() && !is_given("--user")) options.user = "root";
  if (options.is_sql() && options.depth != 1) {
    refuse("--depth: SQL has one statement on the way, --depth 1");
  }
  if (options.is_cache() && has_range(options)) {
    refuse("--workload " + options.workload + ": " + options.target + " has no order of keys");
  }
  if (options.is_cache() && options.workload == "transaction") {
    refuse("--workload transaction: --target hs and sql");
  }
  if (options.hot > options.rows) refuse("--hot: more than --rows");
  if (has_range(options) && options.range > options.rows) {
    refuse("--range: more than --rows");
  }
  if (options.fill) set_fill(options, is_given);
  if (options.connections * options.depth > kMaxOnTheWay) {
    refuse("--connections times --depth is more than " + std::to_string(kMaxOnTheWay));
  }
  if (options.requests == 0 && options.seconds == 0) options.requests = 1'000'000;
  if (options.workload == "insert") set_first_key(options);
}

Workload make_workload(const Options& options, uint64_t now) {
  static const std::map<std::string_view, Kind> kKinds = {
      {"find", Kind::kFind},     {"in", Kind::kIn},
      {"range", Kind::kRange},   {"count", Kind::kCount},
      {"insert", Kind::kInsert}, {"update", Kind::kUpdate},
      {"mixed", Kind::kFind},    {"fill", Kind::kInsert},
      {"upsert", Kind::kUpsert}, {"transaction", Kind::kTransaction}};
  Workload workload;
  const size_t dot = options.table.find('.');
  workload.database = options.table.substr(0, dot);
  workload.table = options.table.substr(dot + 1);
  workload.kind = kKinds.at(options.workload);
  workload.keys = make_keys(options);
  if (options.workload == "in") workload.count = options.in;
  if (has_range(options)) workload.count = options.range;
  if (options.workload == "mixed") workload.writes = options.writes;
  workload.overwrite = options.fill;
  const bool reads_updated = options.workload == "mixed" || options.workload == "transaction";
  workload.email = {options.value_size, reads_updated};
  workload.seed = options.seed;
  workload.first_update = now;
  return workload;
}

}  // namespace hs::bench
