#include "top_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "format.h"
#include "screen.h"

namespace hs::tool {
namespace {

uint64_t of(const Counts& counts, const std::string& name) {
  const auto found = counts.status.find(name);
  return found != counts.status.end() ? found->second : 0;
}

template <typename Key>
const auto& at(const std::map<Key, Buckets>& all, const Key& key) {
  static const Buckets none;
  const auto found = all.find(key);
  return found != all.end() ? found->second : none;
}

std::string per_second(uint64_t count, double seconds) {
  return fmt::format("{:.0f}", seconds > 0 ? static_cast<double>(count) / seconds : 0);
}

std::string connections_line(const Counts& now) {
  std::map<std::string, uint64_t> modes, states;
  uint64_t all = 0;
  for (const auto& [place, number] : now.connections) {
    modes[place.first] += number;
    states[place.second] += number;
    all += number;
  }
  std::string line = fmt::format("connections {}", all);
  for (const auto& [mode, number] : modes) line += fmt::format(", {} {}", mode, number);
  for (const auto& [state, number] : states) line += fmt::format("; {} {}", state, number);
  return line + "\n";
}

std::string status_line(const Counts& before, const Counts& now, double seconds) {
  const auto pace = [&](const char* name) {
    return per_second(more(of(before, name), of(now, name)), seconds);
  };
  return fmt::format(
      "per second: requests {}, errors {}, rows found {}, rows changed {}, commits {}, "
      "lock waits {}\n",
      pace("requests"), pace("errors"), pace("rows_found"), pace("rows_changed"), pace("commits"),
      pace("lock_waits"));
}

Rows latency_rows(const Counts& before, const Counts& now, double seconds) {
  Rows rows = {{{"port"},
                {"kind"},
                {"per second", Kind::number},
                {"p50 us", Kind::number},
                {"p99 us", Kind::number},
                {"p99.9 us", Kind::number}},
               {}};
  for (const auto& [place, buckets] : now.latency) {
    const Buckets fresh = more(at(before.latency, place), buckets);
    uint64_t requests = 0;
    for (const auto& [limit, number] : fresh) requests += number;
    if (requests == 0) continue;
    Row row = {place.first, place.second, per_second(requests, seconds)};
    for (const double share : {0.5, 0.99, 0.999}) {
      row.emplace_back(fmt::format("{:.1f}", static_cast<double>(percentile(fresh, share)) / 1000));
    }
    rows.rows.push_back(std::move(row));
  }
  return rows;
}

Rows table_rows(const Counts& before, const Counts& now, double seconds, size_t most) {
  struct Hot {
    std::string name;
    uint64_t requests, rows;
  };
  std::vector<Hot> hot;
  for (const auto& [name, counts] : now.tables) {
    const auto found = before.tables.find(name);
    const TableCounts old = found != before.tables.end() ? found->second : TableCounts();
    const uint64_t requests = more(old.requests, counts.requests);
    if (requests > 0) hot.push_back({name, requests, more(old.rows, counts.rows)});
  }
  const auto is_hotter = [](const Hot& a, const Hot& b) { return a.requests > b.requests; };
  std::stable_sort(hot.begin(), hot.end(), is_hotter);
  Rows rows = {
      {{"table"}, {"requests per second", Kind::number}, {"rows per second", Kind::number}}, {}};
  for (size_t i = 0; i < std::min(most, hot.size()); i++) {
    rows.rows.push_back(
        {hot[i].name, per_second(hot[i].requests, seconds), per_second(hot[i].rows, seconds)});
  }
  return rows;
}

}  // namespace

uint64_t more(uint64_t before, uint64_t now) { return now >= before ? now - before : now; }

Buckets more(const Buckets& before, const Buckets& now) {
  Buckets result;
  for (const auto& [limit, number] : now) {
    const auto old = before.find(limit);
    result[limit] = more(old != before.end() ? old->second : 0, number);
  }
  return result;
}

uint64_t percentile(const Buckets& buckets, double share) {
  uint64_t all = 0, seen = 0;
  for (const auto& [limit, number] : buckets) all += number;
  const auto wanted = static_cast<uint64_t>(std::ceil(share * static_cast<double>(all)));
  for (const auto& [limit, number] : buckets) {
    seen += number;
    if (number > 0 && seen >= wanted) return limit;
  }
  return 0;
}

std::string page(const Counts& before, const Counts& now, size_t tables, bool colour) {
  const double seconds = now.at - before.at;
  const Look look = {Format::table, true, colour};
  std::string text = connections_line(now) + status_line(before, now, seconds);
  for (const Rows& rows :
       {latency_rows(before, now, seconds), table_rows(before, now, seconds, tables)}) {
    if (!rows.rows.empty()) text += "\n" + as_text(look, rows);
  }
  return text;
}

}  // namespace hs::tool
