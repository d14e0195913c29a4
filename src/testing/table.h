// A table in memory: typed columns, ordered indexes, and the checks that SQL makes on a change.
//
// Transactions are in fake_session.h. Locking is up to the owner.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/value.h"
#include "mapping/tables.h"

namespace hs::testing {

enum class ColumnType : uint8_t {
  kInt,       // 32 bits
  kUnsigned,  // 32 bits
  kBig,       // 64 bits
  kDouble,
  kText,  // bytes
};

struct ColumnDefinition {
  std::string name;
  ColumnType type = ColumnType::kInt;
  bool nullable = false;
  bool auto_increment = false;
  // A row expires at this time, in seconds; NULL and what is not above 0: never.
  bool is_expiry = false;
  std::optional<std::string> default_value;  // none: NULL if nullable, else an insert must give it
};

struct IndexDefinition {
  std::string name;  // "PRIMARY" is always unique, `unique` or not
  std::vector<std::string> columns;
  bool unique = false;
};

// One value of a row. The variant's own order is the order of an index: NULL first, numbers as
// numbers, texts as bytes.
using Cell = std::variant<std::monostate, int64_t, double, std::string>;
using Row = std::vector<Cell>;
using RowId = uint64_t;  // never used again for another row of the table

// A key value in a column: the value itself, or the nearest one that the column can hold.
struct KeyCell {
  Cell cell;
  bool exact = true;
  int side = 0;          // where `cell` lies, seen from the value: -1 below, 1 above
  bool possible = true;  // false: NULL in a column without NULL
};

// A place in an index. Rows with the same key are in the order of their insertion.
struct Entry {
  Row key;
  RowId row = 0;
  auto operator<=>(const Entry&) const = default;
};

// A place before or behind all entries whose keys begin with `prefix`.
struct Bound {
  std::span<const Cell> prefix;
  bool behind = false;
};

struct EntryLess {
  using is_transparent = void;
  bool operator()(const Entry& a, const Entry& b) const { return a < b; }
  bool operator()(const Entry& entry, const Bound& bound) const;
  bool operator()(const Bound& bound, const Entry& entry) const;
};

bool begins_with(const Row& key, std::span<const Cell> prefix);

class Table {
 public:
  struct Index {
    std::string name;
    std::vector<size_t> columns;
    bool unique = false;
    std::set<Entry, EntryLess> entries;
  };

  // Every index column must be among `columns`. `number`: for definition().
  Table(std::vector<ColumnDefinition> columns, std::vector<IndexDefinition> indexes,
        std::string comment = {}, uint64_t number = 0);

  // As mappings ask for it, without names.
  mapping::TableShape shape() const;
  uint64_t definition() const { return definition_; }
  // The column by which rows expire; none: they do not.
  std::optional<size_t> expiry() const;

  // By its name, or by its number when no index has those digits as its name; empty: PRIMARY. Null:
  // there is no such index.
  const Index* find_index(std::string_view name) const;
  std::optional<size_t> find_column(std::string_view name) const;
  const std::vector<ColumnDefinition>& columns() const { return columns_; }
  const std::vector<Index>& indexes() const { return indexes_; }
  const std::map<RowId, Row>& rows() const { return rows_; }

  bool has_expired(const Row& row, int64_t now) const;

  // What a value becomes in a column: of a key, and of a row (or SQL's error).
  KeyCell key_cell(size_t column, const Value& value) const;
  Result<Cell> stored_cell(size_t column, const Value& value) const;

  struct Inserted {
    RowId row = 0;
    bool has_auto_increment = false;
    uint64_t generated_id = 0;
  };
  // values[i] goes to column into[i]; the other columns get their defaults. On error nothing is
  // changed. `duplicate_of`: null, or is set to the row with the same value in a unique index, in
  // the first such index, when that is the error, and else to 0.
  Result<Inserted> insert(std::span<const size_t> into, std::span<const Value> values,
                          RowId* duplicate_of = nullptr);
  // The row must exist. On error nothing is changed.
  Result<void> update(RowId id, std::span<const size_t> into, std::span<const Value> values);
  void erase(RowId id);
  // After the error for a duplicate: the row that was in the way.
  RowId last_duplicate() const { return last_duplicate_; }

  // Puts a row back as it was, or removes it. Without checks.
  void restore(RowId id, std::optional<Row> old);

 private:
  Row key_of(const Index& index, const Row& row) const;
  Result<Cell> default_cell(size_t column) const;
  RowId duplicate_of(const Row& row, RowId except) const;
  Result<void> check_unique(const Row& row, RowId except) const;
  void link(RowId id, const Row& row);
  void unlink(RowId id, const Row& row);

  std::vector<ColumnDefinition> columns_;
  std::vector<Index> indexes_;
  std::map<RowId, Row> rows_;
  RowId next_row_ = 1;
  mutable RowId last_duplicate_ = 0;
  int64_t next_id_ = 1;  // of the AUTO_INCREMENT column
  const std::string comment_;
  const uint64_t definition_;
};

// The number that SQL takes a text for when it compares the text with a number.
double leading_number(std::string_view text);

// The text that SELECT prints. `cell` must not be NULL.
std::string cell_text(const Cell& cell);

}  // namespace hs::testing
