#include "adapter/ttl_status.h"

#include <algorithm>

#include "adapter/ttl_tables.h"

namespace hs::adapter {
namespace {

using server::TableCell;
using server::TableColumn;
using server::TableRow;
using Type = TableColumn::Type;

constexpr TableColumn kTtlColumns[] = {{"TABLE_SCHEMA", Type::kName},
                                       {"TABLE_NAME", Type::kName},
                                       {"COLUMN_NAME", Type::kName},
                                       {"INDEX_NAME", Type::kName, 0, true},
                                       {"ROWS_PURGED", Type::kNumber},
                                       {"BEHIND_SECONDS", Type::kNumber},
                                       {"ROUNDS", Type::kNumber},
                                       {"LAST_ROUND", Type::kMoment, 0, true},
                                       {"LAST_ERROR", Type::kText, 512, true}};

std::vector<TableRow> ttl_rows(const server::Server&, const server::Viewer& viewer) {
  std::vector<TableRow> rows;
  if (!viewer.sees_all) return rows;
  for (const TtlTable& one : ttl_tables().list()) {
    rows.push_back({one.database, one.table, one.column, server::text_or_null(one.index),
                    one.rows_purged, static_cast<uint64_t>(std::max<int64_t>(one.behind_s, 0)),
                    one.rounds,
                    one.last_round == 0 ? TableCell() : TableCell(server::Moment{one.last_round}),
                    server::text_or_null(one.last_error)});
  }
  return rows;
}

}  // namespace

const server::StatusTable kTtlTable{kTtlColumns, ttl_rows};

}  // namespace hs::adapter
