#include "server/tables.h"

#include "base/latency.h"

namespace hs::server {
namespace {

using Type = TableColumn::Type;

constexpr TableColumn kConnectionColumns[] = {{"ID", Type::kNumber},
                                              {"ENDPOINT", Type::kText, 256},
                                              {"MODE", Type::kText, 16},
                                              {"USER", Type::kText, 128, true},
                                              {"HOST", Type::kText, 256},
                                              {"CLIENT", Type::kText, 256, true},
                                              {"TLS_VERSION", Type::kText, 32, true},
                                              {"TLS_CIPHER", Type::kText, 128, true},
                                              {"STATE", Type::kText, 32},
                                              {"OPEN_INDEXES", Type::kNumber},
                                              {"REQUESTS", Type::kNumber},
                                              {"ERRORS", Type::kNumber},
                                              {"BYTES_RECEIVED", Type::kNumber},
                                              {"BYTES_SENT", Type::kNumber},
                                              {"AGE_MS", Type::kNumber},
                                              {"IDLE_MS", Type::kNumber}};

constexpr TableColumn kIndexColumns[] = {{"TABLE_SCHEMA", Type::kName},
                                         {"TABLE_NAME", Type::kName},
                                         {"INDEX_NAME", Type::kName},
                                         {"COLUMNS", Type::kLongText},
                                         {"FILTER_COLUMNS", Type::kLongText},
                                         {"MODE", Type::kText, 16},
                                         {"CONNECTIONS", Type::kNumber},
                                         {"REQUESTS", Type::kNumber},
                                         {"ROWS", Type::kNumber}};

constexpr TableColumn kLatencyColumns[] = {
    {"MODE", Type::kText, 16},       {"KIND", Type::kText, 16},
    {"REQUESTS", Type::kNumber},     {"P50_US", Type::kMicroseconds},
    {"P99_US", Type::kMicroseconds}, {"P999_US", Type::kMicroseconds},
    {"MAX_US", Type::kMicroseconds}};

constexpr TableColumn kLatencyBucketColumns[] = {{"MODE", Type::kText, 16},
                                                 {"KIND", Type::kText, 16},
                                                 {"LESS_THAN_US", Type::kMicroseconds},
                                                 {"REQUESTS", Type::kNumber}};

std::string mode_text(engine::Mode mode) {
  return mode == engine::Mode::kReadOnly ? "read" : "write";
}

double microseconds(uint64_t ns) { return static_cast<double>(ns) / 1000; }

std::string joined(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    if (!list.empty()) list += ',';
    list += name;
  }
  return list;
}

std::vector<TableRow> connection_rows(const Server& server, const Viewer& viewer) {
  std::vector<TableRow> rows;
  for (const ConnectionStatus& one : server.connections()) {
    const ConnectionInfo& info = one.info;
    if (!viewer.sees_all && (info.user.empty() || info.user != viewer.user)) continue;
    rows.push_back({one.id, one.endpoint, mode_text(one.mode), text_or_null(info.user), info.host,
                    text_or_null(info.program), text_or_null(info.tls_version),
                    text_or_null(info.tls_cipher), std::string(one.state), one.open_indexes,
                    one.requests, one.errors, one.bytes_received, one.bytes_sent,
                    static_cast<uint64_t>(one.age_ms), static_cast<uint64_t>(one.idle_ms)});
  }
  return rows;
}

std::vector<TableRow> index_rows(const Server& server, const Viewer& viewer) {
  std::vector<TableRow> rows;
  if (!viewer.sees_all) return rows;
  for (const IndexStatus& one : server.indexes()) {
    const engine::IndexSpec& spec = *one.spec;
    rows.push_back({spec.database, spec.table, spec.index.empty() ? "PRIMARY" : spec.index,
                    joined(spec.columns), joined(spec.filter_columns), mode_text(one.mode),
                    one.connections, one.requests, one.rows});
  }
  return rows;
}

// Calls `add` with the mode and kind, as text, and the times of each.
template <class Add>
void for_all_times(const Server& server, const Viewer& viewer, Add add) {
  if (!viewer.sees_all) return;
  for (const LatencyStatus& status : server.latencies()) {
    for (size_t kind = 0; kind < kRequestKinds; ++kind) {
      add(mode_text(status.mode), std::string(name_of(static_cast<RequestKind>(kind))),
          status.kinds[kind]);
    }
  }
}

std::vector<TableRow> latency_rows(const Server& server, const Viewer& viewer) {
  std::vector<TableRow> rows;
  for_all_times(server, viewer, [&](const auto& mode, const auto& kind, const LatencySum& sum) {
    rows.push_back({mode, kind, sum.count(), microseconds(sum.quantile_ns(500)),
                    microseconds(sum.quantile_ns(990)), microseconds(sum.quantile_ns(999)),
                    microseconds(sum.longest_ns())});
  });
  return rows;
}

std::vector<TableRow> latency_bucket_rows(const Server& server, const Viewer& viewer) {
  std::vector<TableRow> rows;
  for_all_times(server, viewer, [&](const auto& mode, const auto& kind, const LatencySum& sum) {
    for (size_t step = 0; step < LatencySteps::kSteps; ++step) {
      const uint64_t requests = sum.count_at(step);
      if (requests != 0)
        rows.push_back({mode, kind, microseconds(LatencySteps::end_of(step)), requests});
    }
  });
  return rows;
}

}  // namespace

const StatusTable kConnectionsTable{kConnectionColumns, connection_rows};
const StatusTable kIndexesTable{kIndexColumns, index_rows};
const StatusTable kLatencyTable{kLatencyColumns, latency_rows};
const StatusTable kLatencyBucketsTable{kLatencyBucketColumns, latency_bucket_rows};

TableCell text_or_null(std::string_view text) {
  if (text.empty()) return std::monostate();
  return std::string(text);
}

}  // namespace hs::server
