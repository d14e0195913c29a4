// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/server_headers.h"
// (before anything else)
#include <sql_acl.h>
#include <sql_i_s.h>
#include <tztime.h>

#include <algorithm>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "mariadb/information_schema.h"
#include "mariadb/running.h"
#include "mariadb/ttl_tables.h"

namespace Show {

static ST_FIELD_INFO handlersocket_connections[] = {
    Column("ID", ULonglong(), NOT_NULL),
    Column("ENDPOINT", Varchar(256), NOT_NULL),
    Column("MODE", Varchar(16), NOT_NULL),
    Column("USER", Varchar(USERNAME_CHAR_LENGTH), NULLABLE),
    Column("HOST", Varchar(256), NOT_NULL),
    Column("CLIENT", Varchar(256), NULLABLE),
    Column("TLS_VERSION", Varchar(32), NULLABLE),
    Column("TLS_CIPHER", Varchar(128), NULLABLE),
    Column("STATE", Varchar(32), NOT_NULL),
    Column("OPEN_INDEXES", ULonglong(), NOT_NULL),
    Column("REQUESTS", ULonglong(), NOT_NULL),
    Column("ERRORS", ULonglong(), NOT_NULL),
    Column("BYTES_RECEIVED", ULonglong(), NOT_NULL),
    Column("BYTES_SENT", ULonglong(), NOT_NULL),
    Column("AGE_MS", ULonglong(), NOT_NULL),
    Column("IDLE_MS", ULonglong(), NOT_NULL),
    CEnd()};

static ST_FIELD_INFO handlersocket_indexes[] = {Column("TABLE_SCHEMA", Name(), NOT_NULL),
                                                Column("TABLE_NAME", Name(), NOT_NULL),
                                                Column("INDEX_NAME", Name(), NOT_NULL),
                                                Column("COLUMNS", Longtext(65535), NOT_NULL),
                                                Column("FILTER_COLUMNS", Longtext(65535), NOT_NULL),
                                                Column("MODE", Varchar(16), NOT_NULL),
                                                Column("CONNECTIONS", ULonglong(), NOT_NULL),
                                                Column("REQUESTS", ULonglong(), NOT_NULL),
                                                Column("ROWS", ULonglong(), NOT_NULL),
                                                CEnd()};

static ST_FIELD_INFO handlersocket_latency[] = {
    Column("MODE", Varchar(16), NOT_NULL),
    Column("KIND", Varchar(16), NOT_NULL),
    Column("REQUESTS", ULonglong(), NOT_NULL),
    Column("P50_US", Double(MAX_DOUBLE_STR_LENGTH), NOT_NULL),
    Column("P99_US", Double(MAX_DOUBLE_STR_LENGTH), NOT_NULL),
    Column("P999_US", Double(MAX_DOUBLE_STR_LENGTH), NOT_NULL),
    Column("MAX_US", Double(MAX_DOUBLE_STR_LENGTH), NOT_NULL),
    CEnd()};

static ST_FIELD_INFO handlersocket_latency_buckets[] = {
    Column("MODE", Varchar(16), NOT_NULL), Column("KIND", Varchar(16), NOT_NULL),
    Column("LESS_THAN_US", Double(MAX_DOUBLE_STR_LENGTH), NOT_NULL),
    Column("REQUESTS", ULonglong(), NOT_NULL), CEnd()};

static ST_FIELD_INFO handlersocket_ttl[] = {
    Column("TABLE_SCHEMA", Name(), NOT_NULL),     Column("TABLE_NAME", Name(), NOT_NULL),
    Column("COLUMN_NAME", Name(), NOT_NULL),      Column("INDEX_NAME", Name(), NULLABLE),
    Column("ROWS_PURGED", ULonglong(), NOT_NULL), Column("BEHIND_SECONDS", ULonglong(), NOT_NULL),
    Column("ROUNDS", ULonglong(), NOT_NULL),      Column("LAST_ROUND", Datetime(0), NULLABLE),
    Column("LAST_ERROR", Varchar(512), NULLABLE), CEnd()};

}  // namespace Show

namespace hs::mariadb {
namespace {

bool sees_all(THD* thd) { return !check_global_access(thd, PROCESS_ACL, true); }

std::string_view name_of(engine::Mode mode) {
  return mode == engine::Mode::kReadOnly ? "read" : "write";
}

// One row of a table, filled from its first column to its last.
class Row {
 public:
  explicit Row(TABLE* table) : table_(table) { restore_record(table, s->default_values); }

  Row& text(std::string_view value) {
    next().store(value.data(), value.size(), system_charset_info);
    return *this;
  }
  // NULL when it is empty.
  Row& text_or_null(std::string_view value) {
    if (!value.empty()) {
      table_->field[at_]->set_notnull();
      return text(value);
    }
    next().set_null();
    return *this;
  }
  Row& number(uint64_t value) {
    next().store(static_cast<longlong>(value), true);
    return *this;
  }
  // NULL when it is 0.
  Row& time_or_null(my_time_t seconds) {
    if (seconds == 0) {
      next().set_null();
      return *this;
    }
    MYSQL_TIME time;
    table_->in_use->variables.time_zone->gmt_sec_to_TIME(&time, seconds);
    table_->field[at_]->set_notnull();
    next().store_time(&time);
    return *this;
  }
  Row& microseconds(uint64_t ns) {
    next().store(static_cast<double>(ns) / 1000);
    return *this;
  }
  // False: the row cannot be stored, and the error is raised.
  bool store(THD* thd) { return !schema_table_store_record(thd, table_); }

 private:
  Field& next() { return *table_->field[at_++]; }

  TABLE* const table_;
  size_t at_ = 0;
};

// Stores what `rows_of` gives, each by `write`. The rows are fetched first, since to store one may
// mean to write to a file.
template <class Fetch, class Write>
int fill(THD* thd, TABLE* table, Fetch fetch, Write write) {
  try {
    decltype(fetch(std::declval<server::Server&>())) rows;
    Running::ask([&](server::Server& server) { rows = fetch(server); });
    for (const auto& one : rows) {
      Row row(table);
      write(one, row);
      if (!row.store(thd)) return 1;
    }
    return 0;
  } catch (const std::bad_alloc&) {
    my_printf_error(ER_OUT_OF_RESOURCES, "Out of memory", MYF(0));
    return 1;
  }
}

int fill_connections(THD* thd, TABLE_LIST* tables, COND*) {
  const auto fetch = [thd](server::Server& server) {
    std::vector<server::ConnectionStatus> all = server.connections();
    if (sees_all(thd)) return all;
    const std::string_view own = thd->security_ctx->priv_user;
    std::erase_if(all,
                  [own](const auto& one) { return one.info.user.empty() || one.info.user != own; });
    return all;
  };
  return fill(thd, tables->table, fetch, [](const server::ConnectionStatus& one, Row& row) {
    row.number(one.id)
        .text(one.endpoint)
        .text(name_of(one.mode))
        .text_or_null(one.info.user)
        .text(one.info.host)
        .text_or_null(one.info.program)
        .text_or_null(one.info.tls_version)
        .text_or_null(one.info.tls_cipher)
        .text(one.state)
        .number(one.open_indexes)
        .number(one.requests)
        .number(one.errors)
        .number(one.bytes_received)
        .number(one.bytes_sent)
        .number(static_cast<uint64_t>(one.age_ms))
        .number(static_cast<uint64_t>(one.idle_ms));
  });
}

// What sums over all connections is for those that may see all of them.
template <class Fetch>
auto if_sees_all(THD* thd, Fetch fetch) {
  return [thd, fetch](server::Server& server) {
    decltype(fetch(server)) rows;
    if (sees_all(thd)) rows = fetch(server);
    return rows;
  };
}

std::string joined(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    if (!list.empty()) list += ',';
    list += name;
  }
  return list;
}

int fill_indexes(THD* thd, TABLE_LIST* tables, COND*) {
  const auto fetch = if_sees_all(thd, [](server::Server& server) { return server.indexes(); });
  return fill(thd, tables->table, fetch, [](const server::IndexStatus& one, Row& row) {
    row.text(one.spec->database)
        .text(one.spec->table)
        .text(one.spec->index.empty() ? "PRIMARY" : one.spec->index)
        .text(joined(one.spec->columns))
        .text(joined(one.spec->filter_columns))
        .text(name_of(one.mode))
        .number(one.connections)
        .number(one.requests)
        .number(one.rows);
  });
}

// The times of one mode and kind.
struct Times {
  engine::Mode mode;
  server::RequestKind kind;
  const LatencySum* sum;
};

// Calls `write` with the times of each mode and kind, until it returns false.
template <class Write>
int fill_times(THD* thd, Write write) {
  try {
    std::vector<server::LatencyStatus> all;
    if (sees_all(thd)) Running::ask([&](server::Server& server) { all = server.latencies(); });
    for (const server::LatencyStatus& status : all) {
      for (size_t kind = 0; kind < server::kRequestKinds; ++kind) {
        const Times times{status.mode, static_cast<server::RequestKind>(kind), &status.kinds[kind]};
        if (!write(times)) return 1;
      }
    }
    return 0;
  } catch (const std::bad_alloc&) {
    my_printf_error(ER_OUT_OF_RESOURCES, "Out of memory", MYF(0));
    return 1;
  }
}

int fill_latency(THD* thd, TABLE_LIST* tables, COND*) {
  return fill_times(thd, [&](const Times& times) {
    return Row(tables->table)
        .text(name_of(times.mode))
        .text(server::name_of(times.kind))
        .number(times.sum->count())
        .microseconds(times.sum->quantile_ns(500))
        .microseconds(times.sum->quantile_ns(990))
        .microseconds(times.sum->quantile_ns(999))
        .microseconds(times.sum->longest_ns())
        .store(thd);
  });
}

int fill_latency_buckets(THD* thd, TABLE_LIST* tables, COND*) {
  return fill_times(thd, [&](const Times& times) {
    for (size_t step = 0; step < LatencySteps::kSteps; ++step) {
      const uint64_t requests = times.sum->count_at(step);
      if (requests == 0) continue;
      const bool stored = Row(tables->table)
                              .text(name_of(times.mode))
                              .text(server::name_of(times.kind))
                              .microseconds(LatencySteps::end_of(step))
                              .number(requests)
                              .store(thd);
      if (!stored) return false;
    }
    return true;
  });
}

int fill_ttl(THD* thd, TABLE_LIST* tables, COND*) {
  const auto fetch = if_sees_all(thd, [](server::Server&) { return ttl_tables().list(); });
  return fill(thd, tables->table, fetch, [](const TtlTable& one, Row& row) {
    row.text(one.database)
        .text(one.table)
        .text(one.column)
        .text_or_null(one.index)
        .number(one.rows_purged)
        .number(static_cast<uint64_t>(std::max<int64_t>(one.behind_s, 0)))
        .number(one.rounds)
        .time_or_null(one.last_round)
        .text_or_null(one.last_error);
  });
}

int describe(void* schema_table, ST_FIELD_INFO* fields, int (*fill)(THD*, TABLE_LIST*, COND*)) {
  auto* const table = static_cast<ST_SCHEMA_TABLE*>(schema_table);
  table->fields_info = fields;
  table->fill_table = fill;
  return 0;
}

}  // namespace

int init_connections_table(void* schema_table) {
  return describe(schema_table, Show::handlersocket_connections, fill_connections);
}

int init_indexes_table(void* schema_table) {
  return describe(schema_table, Show::handlersocket_indexes, fill_indexes);
}

int init_latency_table(void* schema_table) {
  return describe(schema_table, Show::handlersocket_latency, fill_latency);
}

int init_latency_buckets_table(void* schema_table) {
  return describe(schema_table, Show::handlersocket_latency_buckets, fill_latency_buckets);
}

int init_ttl_table(void* schema_table) {
  return describe(schema_table, Show::handlersocket_ttl, fill_ttl);
}

}  // namespace hs::mariadb
