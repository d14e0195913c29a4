// SPDX-License-Identifier: GPL-2.0-only
#include "in_server/status_tables.h"

#include <new>
#include <span>
#include <vector>

#include "adapter/running.h"
#include "adapter/ttl_status.h"
#include "server/tables.h"
#include "server_tables.h"

namespace hs::in_server {
namespace {

using server::TableColumn;
using server::TableRow;

std::vector<ST_FIELD_INFO> fields_of(std::span<const TableColumn> columns) {
  std::vector<ST_FIELD_INFO> fields;
  for (const TableColumn& column : columns) fields.push_back(field_of(column));
  fields.push_back(end_of_fields());
  return fields;
}

// False: the row cannot be stored, and the error is raised.
bool store(THD* thd, TABLE* table, const TableRow& row) {
  restore_record(table, s->default_values);
  for (size_t i = 0; i < row.size(); ++i) {
    Field& field = *table->field[i];
    const auto store_moment = [&](server::Moment moment) {
      MYSQL_TIME time;
      thd->variables.time_zone->gmt_sec_to_TIME(&time, moment.seconds);
      field.store_time(&time);
    };
    server::store_cell<longlong>(row[i], field, system_charset_info, store_moment);
  }
  return !schema_table_store_record(thd, table);
}

// The rows are fetched first, since to store one may mean to write to a file.
template <const server::StatusTable& kTable>
int fill(THD* thd, TableRef* tables, Item*) {
  try {
    const server::Viewer viewer = viewer_of(thd);
    std::vector<TableRow> rows;
    adapter::Running::ask([&](server::Server& server) { rows = kTable.rows(server, viewer); });
    for (const TableRow& row : rows) {
      if (!store(thd, tables->table, row)) return 1;
    }
    return 0;
  } catch (const std::bad_alloc&) {
    my_printf_error(ER_OUT_OF_RESOURCES, "Out of memory", MYF(0));
    return 1;
  }
}

template <const server::StatusTable& kTable>
bool describe(void* schema_table) try {
  static std::vector<ST_FIELD_INFO> fields = fields_of(kTable.columns);
  auto* const table = static_cast<ST_SCHEMA_TABLE*>(schema_table);
  table->fields_info = fields.data();
  table->fill_table = fill<kTable>;
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

bool describe_connections(void* table) { return describe<server::kConnectionsTable>(table); }
bool describe_indexes(void* table) { return describe<server::kIndexesTable>(table); }
bool describe_latency(void* table) { return describe<server::kLatencyTable>(table); }
bool describe_latency_buckets(void* table) { return describe<server::kLatencyBucketsTable>(table); }
bool describe_ttl(void* table) { return describe<adapter::kTtlTable>(table); }

}  // namespace

bool describe_table(seam::Table table, void* schema_table) {
  before_the_table_comes();
  switch (table) {
#define HS_TABLE(name, ...) \
  case seam::Table::name:   \
    return describe_##name(schema_table);
#include "seam/tables.def"
#undef HS_TABLE
  }
  return false;
}

}  // namespace hs::in_server
