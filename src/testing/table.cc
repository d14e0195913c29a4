#include "testing/table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/assert.h"
#include "testing/engine_numbers.h"

namespace hs::testing {
namespace {

// SQL's error numbers.
constexpr int kBadNull = 1048;
constexpr int kOutOfRange = 1264;
constexpr int kNoDefault = 1364;
constexpr int kWrongValue = 1366;

int64_t lowest(ColumnType type) {
  if (type == ColumnType::kBig) return std::numeric_limits<int64_t>::min();
  return type == ColumnType::kInt ? std::numeric_limits<int32_t>::min() : 0;
}

int64_t highest(ColumnType type) {
  if (type == ColumnType::kBig) return std::numeric_limits<int64_t>::max();
  return type == ColumnType::kInt ? std::numeric_limits<int32_t>::max()
                                  : std::numeric_limits<uint32_t>::max();
}

struct Number {
  enum { kOk, kNone, kTooLarge } state = kNone;
  int64_t value = 0;
};

std::optional<double> parse_double(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number))
    return std::nullopt;
  return number;
}

Number parse(std::string_view text, ColumnType type) {
  Number number;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number.value);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) return number;
  const bool fits =
      error == std::errc() && number.value >= lowest(type) && number.value <= highest(type);
  number.state = fits ? Number::kOk : Number::kTooLarge;
  return number;
}

Error sql_error(int number, std::string_view before, const ColumnDefinition& column,
                std::string_view after) {
  std::string message(before);
  message.append(" '").append(column.name).append("'").append(after);
  return Error::sql(number, std::move(message));
}

// < 0, 0, > 0: the beginning of the key, compared with the prefix.
std::weak_ordering compare(const Row& key, std::span<const Cell> prefix) {
  for (size_t i = 0; i < prefix.size(); ++i) {
    if (key[i] != prefix[i]) {
      return key[i] < prefix[i] ? std::weak_ordering::less : std::weak_ordering::greater;
    }
  }
  return std::weak_ordering::equivalent;
}

}  // namespace

double leading_number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return std::isfinite(number) ? number : 0;
}

bool EntryLess::operator()(const Entry& entry, const Bound& bound) const {
  const auto order = compare(entry.key, bound.prefix);
  return order == 0 ? bound.behind : order < 0;
}

bool EntryLess::operator()(const Bound& bound, const Entry& entry) const {
  const auto order = compare(entry.key, bound.prefix);
  return order == 0 ? !bound.behind : order > 0;
}

bool begins_with(const Row& key, std::span<const Cell> prefix) { return compare(key, prefix) == 0; }

std::string cell_text(const Cell& cell) {
  if (const int64_t* number = std::get_if<int64_t>(&cell)) return std::to_string(*number);
  if (const double* number = std::get_if<double>(&cell)) {
    std::array<char, 32> text;
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), *number).ptr};
  }
  return std::get<std::string>(cell);
}

Table::Table(std::vector<ColumnDefinition> columns, std::vector<IndexDefinition> indexes,
             std::string comment, uint64_t number)
    : columns_(std::move(columns)), comment_(std::move(comment)), definition_(number) {
  for (IndexDefinition& definition : indexes) {
    Index& index = indexes_.emplace_back();
    index.unique = definition.unique || definition.name == "PRIMARY";
    index.name = std::move(definition.name);
    for (const std::string& name : definition.columns) {
      const std::optional<size_t> column = find_column(name);
      HS_ASSERT(column);
      index.columns.push_back(*column);
    }
  }
}

mapping::TableShape Table::shape() const {
  using mapping::ColumnKind;
  mapping::TableShape made;
  made.comment = comment_;
  made.definition = definition_;
  for (const ColumnDefinition& definition : columns_) {
    mapping::ColumnShape& column = made.columns.emplace_back();
    column.name = definition.name;
    column.is_nullable = definition.nullable;
    column.is_unsigned = definition.type == ColumnType::kUnsigned;
    column.kind = definition.type == ColumnType::kText     ? ColumnKind::kBinary
                  : definition.type == ColumnType::kDouble ? ColumnKind::kReal
                                                           : ColumnKind::kInteger;
    if (column.kind == ColumnKind::kInteger)
      column.bytes = definition.type == ColumnType::kBig ? 8 : 4;
  }
  for (const Index& index : indexes_) {
    mapping::IndexShape& one = made.indexes.emplace_back();
    one.name = index.name;
    one.is_unique = index.unique;
    for (const size_t column : index.columns) one.columns.push_back(columns_[column].name);
  }
  return made;
}

std::optional<size_t> Table::expiry() const {
  for (size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i].is_expiry) return i;
  return std::nullopt;
}

const Table::Index* Table::find_index(std::string_view name) const {
  if (name.empty()) name = "PRIMARY";
  const auto at = std::find_if(indexes_.begin(), indexes_.end(),
                               [&](const Index& index) { return index.name == name; });
  if (at != indexes_.end()) return &*at;
  size_t number = 0;
  const char* end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data(), end, number);
  const bool is_number = parsed.ec == std::errc() && parsed.ptr == end;
  return is_number && number < indexes_.size() ? &indexes_[number] : nullptr;
}

std::optional<size_t> Table::find_column(std::string_view name) const {
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].name == name) return i;
  }
  return std::nullopt;
}

bool Table::has_expired(const Row& row, int64_t now) const {
  for (size_t i = 0; i < columns_.size(); ++i) {
    const int64_t* const at = columns_[i].is_expiry ? std::get_if<int64_t>(&row[i]) : nullptr;
    if (at != nullptr && *at > 0 && *at <= now) return true;
  }
  return false;
}

KeyCell Table::key_cell(size_t column, const Value& value) const {
  KeyCell key;
  if (Result<Cell> cell = stored_cell(column, value)) {
    key.cell = std::move(*cell);
    return key;
  }
  key.exact = false;
  key.possible = !value.is_null();
  if (!key.possible) return key;
  // A text becomes the number that SQL compares it as.
  const ColumnType type = columns_[column].type;
  const double wanted = leading_number(value.text());
  if (type == ColumnType::kDouble) {
    key.cell = Cell(wanted);
    return key;
  }
  const double held = std::clamp(std::floor(wanted), static_cast<double>(lowest(type)),
                                 static_cast<double>(highest(type)));
  key.cell = Cell(static_cast<int64_t>(held));
  key.side = held < wanted ? -1 : static_cast<int>(wanted < held);
  return key;
}

Result<Cell> Table::stored_cell(size_t column, const Value& value) const {
  const ColumnDefinition& definition = columns_[column];
  if (value.is_null()) {
    if (definition.nullable) return Cell();
    return sql_error(kBadNull, "Column", definition, " cannot be null");
  }
  if (definition.type == ColumnType::kText) return Cell(std::string(value.text()));
  if (definition.type == ColumnType::kDouble) {
    if (const std::optional<double> number = parse_double(value.text())) return Cell(*number);
    const std::string before =
        "Incorrect double value: '" + std::string(value.text()) + "' for column";
    return sql_error(kWrongValue, before, definition, " at row 1");
  }
  const Number number = parse(value.text(), definition.type);
  if (number.state == Number::kOk) return Cell(number.value);
  if (number.state == Number::kTooLarge) {
    return sql_error(kOutOfRange, "Out of range value for column", definition, " at row 1");
  }
  const std::string before =
      "Incorrect integer value: '" + std::string(value.text()) + "' for column";
  return sql_error(kWrongValue, before, definition, " at row 1");
}

Result<Cell> Table::default_cell(size_t column) const {
  const ColumnDefinition& definition = columns_[column];
  if (definition.default_value) return stored_cell(column, Value::of(*definition.default_value));
  if (definition.nullable) return Cell();
  return sql_error(kNoDefault, "Field", definition, " doesn't have a default value");
}

Result<Table::Inserted> Table::insert(std::span<const size_t> into, std::span<const Value> values,
                                      RowId* duplicate) {
  if (duplicate != nullptr) *duplicate = 0;
  std::vector<const Value*> given(columns_.size());
  for (size_t i = 0; i < values.size(); ++i) given[into[i]] = &values[i];

  Inserted inserted;
  inserted.row = next_row_;
  int64_t next_id = next_id_;
  Row row;
  for (size_t i = 0; i < columns_.size(); ++i) {
    Result<Cell> cell = Cell();
    if (columns_[i].auto_increment) {
      inserted.has_auto_increment = true;
      if (given[i] && !given[i]->is_null()) cell = stored_cell(i, *given[i]);
      if (!cell) return std::move(cell.error());
      if (*cell == Cell() || *cell == Cell(int64_t{0})) {
        if (next_id_ > highest(columns_[i].type)) return Error::engine(kAutoIncrementFailed);
        cell = Cell(next_id_);
        inserted.generated_id = static_cast<uint64_t>(next_id_);
      }
      next_id = std::max(next_id_, std::get<int64_t>(*cell) + 1);
    } else {
      cell = given[i] ? stored_cell(i, *given[i]) : default_cell(i);
      if (!cell) return std::move(cell.error());
    }
    row.push_back(std::move(*cell));
  }
  if (Result<void> unique = check_unique(row, 0); !unique) {
    if (duplicate != nullptr) *duplicate = duplicate_of(row, 0);
    return std::move(unique.error());
  }

  next_id_ = next_id;
  ++next_row_;
  link(inserted.row, row);
  rows_.emplace(inserted.row, std::move(row));
  return inserted;
}

Result<void> Table::update(RowId id, std::span<const size_t> into, std::span<const Value> values) {
  Row row = rows_.at(id);
  for (size_t i = 0; i < values.size(); ++i) {
    Result<Cell> cell = stored_cell(into[i], values[i]);
    if (!cell) return std::move(cell.error());
    row[into[i]] = std::move(*cell);
  }
  if (Result<void> unique = check_unique(row, id); !unique) return unique;
  restore(id, std::move(row));
  return {};
}

void Table::erase(RowId id) { restore(id, std::nullopt); }

void Table::restore(RowId id, std::optional<Row> old) {
  if (const auto at = rows_.find(id); at != rows_.end()) {
    unlink(id, at->second);
    rows_.erase(at);
  }
  if (!old) return;
  link(id, *old);
  rows_.emplace(id, std::move(*old));
}

Row Table::key_of(const Index& index, const Row& row) const {
  Row key;
  for (size_t column : index.columns) key.push_back(row[column]);
  return key;
}

// 0: there is none.
RowId Table::duplicate_of(const Row& row, RowId except) const {
  for (const Index& index : indexes_) {
    if (!index.unique) continue;
    const Row key = key_of(index, row);
    // NULL equals nothing, itself included.
    if (std::find(key.begin(), key.end(), Cell()) != key.end()) continue;
    const auto at = index.entries.lower_bound(Bound{key, false});
    if (at != index.entries.end() && at->key == key && at->row != except) return at->row;
  }
  return 0;
}

Result<void> Table::check_unique(const Row& row, RowId except) const {
  last_duplicate_ = duplicate_of(row, except);
  if (last_duplicate_ != 0) return Error::engine(kDuplicateKey);
  return {};
}

void Table::link(RowId id, const Row& row) {
  for (Index& index : indexes_) index.entries.insert(Entry{key_of(index, row), id});
}

void Table::unlink(RowId id, const Row& row) {
  for (Index& index : indexes_) index.entries.erase(Entry{key_of(index, row), id});
}

}  // namespace hs::testing
