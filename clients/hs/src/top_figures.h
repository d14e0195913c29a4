// What `hs top` shows: the differences of what a server has counted at two moments.
#ifndef HS_CLIENTS_HS_TOP_FIGURES_H_
#define HS_CLIENTS_HS_TOP_FIGURES_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace hs::tool {

// Requests by the time they took: less than so many nanoseconds, and not less than the step before.
using Buckets = std::map<uint64_t, uint64_t>;

struct TableCounts {
  uint64_t requests = 0, rows = 0;
};

struct Counts {
  double at = 0;  // seconds
  std::map<std::string, uint64_t> status;
  std::map<std::pair<std::string, std::string>, Buckets> latency;       // by mode and kind
  std::map<std::pair<std::string, std::string>, uint64_t> connections;  // by mode and state
  std::map<std::string, TableCounts> tables;                            // by "database.table"
};

// How many more there are now; a count that begins anew counts from 0.
uint64_t more(uint64_t before, uint64_t now);
Buckets more(const Buckets& before, const Buckets& now);

// Nanoseconds that so large a share of the requests took at most; 0 without any.
uint64_t percentile(const Buckets& buckets, double share);

// The page for the time between two moments. tables: how many of them at most.
std::string page(const Counts& before, const Counts& now, size_t tables, bool colour);

}  // namespace hs::tool

#endif  // HS_CLIENTS_HS_TOP_FIGURES_H_
