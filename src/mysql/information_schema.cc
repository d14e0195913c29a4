// SPDX-License-Identifier: GPL-2.0-only
#include "mysql/information_schema.h"

#include <new>
#include <span>
#include <vector>

#include "adapter/running.h"
#include "adapter/ttl_status.h"
#include "mysql/server_headers.h"
#include "server/tables.h"
#include "sql/auth/auth_acls.h"
#include "sql/auth/auth_common.h"
#include "sql/sql_show.h"
#include "sql/tztime.h"

namespace hs::mysql {
namespace {

using server::TableColumn;
using server::TableRow;
using Type = TableColumn::Type;

ST_FIELD_INFO field_of(const TableColumn& column) {
  const uint null = column.is_nullable ? MY_I_S_MAYBE_NULL : 0;
  switch (column.type) {
    case Type::kName:
      return {column.name, NAME_CHAR_LEN, MYSQL_TYPE_STRING, 0, null, nullptr, 0};
    case Type::kText:
      return {column.name, column.characters, MYSQL_TYPE_STRING, 0, null, nullptr, 0};
    case Type::kLongText:
      return {column.name, 65535, MYSQL_TYPE_STRING, 0, null, nullptr, 0};
    case Type::kMicroseconds:
      return {column.name, MAX_DOUBLE_STR_LENGTH, MYSQL_TYPE_DOUBLE, 0, null, nullptr, 0};
    case Type::kMoment:
      return {column.name, 0, MYSQL_TYPE_DATETIME, 0, null, nullptr, 0};
    case Type::kNumber:
      break;
  }
  constexpr uint kDigits = MY_INT64_NUM_DECIMAL_DIGITS;
  return {column.name, kDigits, MYSQL_TYPE_LONGLONG, 0, null | MY_I_S_UNSIGNED, nullptr, 0};
}

std::vector<ST_FIELD_INFO> fields_of(std::span<const TableColumn> columns) {
  std::vector<ST_FIELD_INFO> fields;
  for (const TableColumn& column : columns) fields.push_back(field_of(column));
  fields.push_back({nullptr, 0, MYSQL_TYPE_NULL, 0, 0, nullptr, 0});
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
int fill(THD* thd, Table_ref* tables, Item*) {
  try {
    Security_context& context = *thd->security_context();
    const server::Viewer viewer{context.check_access(PROCESS_ACL),
                                {context.priv_user().str, context.priv_user().length}};
    std::vector<TableRow> rows;
    adapter::Running::ask([&](server::Server& server) { rows = kTable.rows(server, viewer); });
    for (const TableRow& row : rows) {
      if (!store(thd, tables->table, row)) return 1;
    }
    return 0;
  } catch (const std::bad_alloc&) {
    my_error(ER_OUT_OF_RESOURCES, MYF(0));
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
  switch (table) {
#define HS_TABLE(name, ...) \
  case seam::Table::name:   \
    return describe_##name(schema_table);
#include "seam/tables.def"
#undef HS_TABLE
  }
  return false;
}

}  // namespace hs::mysql
