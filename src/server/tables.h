// What the tables in INFORMATION_SCHEMA show: columns and rows without the types of a database server, which
// the adapters put into theirs. docs/monitoring.md describes them.
//
// As with SHOW PROCESSLIST, the PROCESS privilege shows all rows. Without it an account sees the rows
// of its own connections, and none of the tables that sum over all of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "server/server.h"

namespace hs::server {

struct TableColumn {
  enum class Type {
    kName,  // of an object of the database
    kText,
    kLongText,
    kNumber,
    kMicroseconds,
    kMoment,
  };
  const char* name;
  Type type;
  unsigned characters = 0;  // of kText, at most
  bool is_nullable = false;
};

struct Moment {
  int64_t seconds;  // since 1970
};
// The first is NULL.
using TableCell = std::variant<std::monostate, uint64_t, double, Moment, std::string>;
using TableRow = std::vector<TableCell>;  // one cell for each column

// The account that reads the table.
struct Viewer {
  bool sees_all;
  std::string_view user;
};

struct StatusTable {
  std::span<const TableColumn> columns;
  // Throws std::bad_alloc.
  std::vector<TableRow> (*rows)(const Server& server, const Viewer& viewer);
};

extern const StatusTable kConnectionsTable;
extern const StatusTable kIndexesTable;
extern const StatusTable kLatencyTable;
extern const StatusTable kLatencyBucketsTable;

// Puts the cell into a column of a database server: its Field, its kind of number, its character set for
// names, and how it stores a moment.
template <class Number, class Field, class Charset, class StoreMoment>
void store_cell(const TableCell& cell, Field& field, Charset charset, StoreMoment store_moment) {
  if (std::holds_alternative<std::monostate>(cell)) {
    field.set_null();
    return;
  }
  field.set_notnull();
  if (const auto* const number = std::get_if<uint64_t>(&cell)) {
    field.store(static_cast<Number>(*number), true);
  } else if (const auto* const real = std::get_if<double>(&cell)) {
    field.store(*real);
  } else if (const auto* const moment = std::get_if<Moment>(&cell)) {
    store_moment(*moment);
  } else {
    const auto& text = std::get<std::string>(cell);
    field.store(text.data(), text.size(), charset);
  }
}

// NULL when it is empty.
TableCell text_or_null(std::string_view text);

}  // namespace hs::server
