// What mappings ask of a database: what a table is made of, and which tables are new.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hs::mapping {

enum class ColumnKind : uint8_t {
  kText,    // characters
  kBinary,  // bytes
  kInteger,
  kDecimal,
  kReal,
  kMoment,  // a date with its time
  kOther,
};

struct ColumnShape {
  std::string name;
  ColumnKind kind = ColumnKind::kOther;
  uint8_t bytes = 0;  // of an integer
  bool is_unsigned = false;
  bool is_nullable = false;
  bool is_rounded = false;      // the text of a value may mean another value
  bool has_fraction = false;    // each value has digits behind a point
  bool is_computed = false;     // no value can be stored
  bool is_hidden = false;       // SELECT * does not show it
  bool has_no_default = false;  // a new row must be given a value

  bool operator==(const ColumnShape&) const = default;
};

struct IndexShape {
  std::string name;
  bool is_unique = false;
  bool is_whole =
      true;  // false: it has a part of some column only, or cannot be searched by values
  std::vector<std::string> columns;
  bool begins_descending = false;  // its first part is DESC
  size_t ascending_from = 0;       // none of the parts from this one on is DESC

  // Of the parts from the first to the last.
  void add_descending(size_t part) {
    begins_descending |= part == 0;
    ascending_from = part + 1;
  }
  bool operator==(const IndexShape&) const = default;
};

struct TableShape {
  std::string database, table;  // as filed
  std::string comment;
  uint64_t definition = 0;           // see engine::Cursor::definition()
  std::vector<ColumnShape> columns;  // in the table's order
  std::vector<IndexShape> indexes;
  bool tells_duplicates = true;  // the engine tells which row is in the way of a new one

  bool operator==(const TableShape&) const = default;
};

struct TableName {
  std::string database, table;
  auto operator<=>(const TableName&) const = default;
};

// Tables in whose comment `hs:` stands.
struct TableNews {
  std::vector<TableName> changed;  // made, altered or renamed to this
  std::vector<TableName> gone;
};

// Implemented by a session (engine/engine.h). Not inside a request, and with nothing uncommitted.
class Tables {
 public:
  virtual ~Tables() = default;

  // The table as it is now, whatever the session's account may see. No table stays open or locked.
  // Errors: kOpenTable, there is no such table, or none that has columns of its own; kLockTables.
  virtual Result<TableShape> shape(std::string_view /*database*/, std::string_view /*table*/) {
    return ErrorCode::kOpenTable;
  }
  // Whether the session's account sees the table.
  virtual bool sees(std::string_view /*database*/, std::string_view /*table*/) { return true; }
  // What is new since the last call on any session. At first, what is there comes piece by piece.
  // One call at a time. Waits for no lock of a table. `thorough`: tables that were made before the
  // call are found, unless there are very many.
  virtual void look_for_news(bool /*thorough*/, TableNews& /*news*/) {}
};

}  // namespace hs::mapping
