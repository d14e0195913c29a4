// What hs bench prints about a run: a few lines for people, or one line of JSON.
#ifndef HS_TOOLS_BENCH_REPORT_H_
#define HS_TOOLS_BENCH_REPORT_H_

#include <cstddef>
#include <optional>
#include <string>

#include "target.h"

namespace hs::bench {

struct Report {
  std::string target;
  std::string workload;
  std::string distribution;
  size_t connections = 0;
  size_t depth = 0;
  double rate = 0;  // requests per second; 0: as fast as answers come
  Tally tally;
  std::optional<double> server_cpu_seconds;
};

std::string as_text(const Report& report);
std::string as_json(const Report& report);

}  // namespace hs::bench

#endif  // HS_TOOLS_BENCH_REPORT_H_
