#include <cstring>
#include <deque>

#include "base/assert.h"
#include "testing/engine_numbers.h"
#include "testing/fake_session.h"

namespace hs::testing {
std::unique_ptr<FakeCursor> FakeCursor::make(FakeSession& session, const engine::IndexSpec& spec,
                                             std::shared_ptr<Table> table, ErrorCode* error) {
  auto cursor = std::unique_ptr<FakeCursor>(new FakeCursor(session, std::move(table)));
  cursor->index_ = cursor->table_->find_index(spec.index);
  if (!cursor->index_) {
    *error = ErrorCode::kIndex;
    return nullptr;
  }
  *error = ErrorCode::kColumn;
  for (const std::string& name : spec.columns) {
    const std::optional<size_t> column = cursor->table_->find_column(name);
    if (!column) return nullptr;
    cursor->columns_.push_back(*column);
  }
  for (const std::string& name : spec.filter_columns) {
    const std::optional<size_t> column = cursor->table_->find_column(name);
    if (!column) return nullptr;
    cursor->filter_columns_.push_back(*column);
  }
  cursor->texts_.resize(cursor->columns_.size());
  cursor->values_.resize(cursor->columns_.size());
  return cursor;
}

engine::Cursor::Counting FakeCursor::counting(size_t column) const {
  const ColumnType type = table_->columns()[columns_.at(column)].type;
  return type == ColumnType::kDouble ? Counting::kReal : Counting::kExact;
}

double FakeCursor::real(size_t column) {
  HS_ASSERT(session_.here(session_.request_ == this));
  const std::lock_guard lock(session_.engine_.mutex_);
  return std::get<double>(table_->rows().at(row_)[columns_.at(column)]);
}

Result<bool> FakeCursor::seek(KeyOperator op, std::span<const Value> key) {
  HS_ASSERT(session_.here(session_.request_ == this) && key.size() <= key_parts());
  HS_ASSERT(!key.empty() || op == KeyOperator::kGreaterOrEqual);
  const std::lock_guard lock(session_.engine_.mutex_);
  backwards_ = op == KeyOperator::kEqualDescending;
  if (backwards_) op = KeyOperator::kEqual;
  op_ = op;
  row_ = 0;
  key_.clear();
  for (size_t i = 0; i < key.size(); ++i) {
    KeyCell cell = table_->key_cell(index_->columns[i], key[i]);
    const bool may_be_beside = cell.possible && op != KeyOperator::kEqual && i + 1 == key.size() &&
                               session_.access_ == engine::Access::kRead;
    if (!cell.exact && !may_be_beside) return false;
    if (cell.side < 0) op_ = descending() ? KeyOperator::kLessOrEqual : KeyOperator::kGreater;
    if (cell.side > 0) op_ = descending() ? KeyOperator::kLess : KeyOperator::kGreaterOrEqual;
    key_.push_back(std::move(cell.cell));
  }
  // For < and >= all entries with this key lie behind the bound, for > and <= before it.
  const bool behind =
      backwards_ || op_ == KeyOperator::kGreater || op_ == KeyOperator::kLessOrEqual;
  const auto at = index_->entries.lower_bound(Bound{key_, behind});
  return descending() ? arrive_before(at) : arrive(at);
}

Result<bool> FakeCursor::next() {
  HS_ASSERT(session_.here(session_.request_ == this));
  const std::lock_guard lock(session_.engine_.mutex_);
  if (descending()) return arrive_before(index_->entries.lower_bound(entry_));
  return arrive(index_->entries.upper_bound(entry_));
}

bool FakeCursor::is_absent(RowId row) const {
  return table_->has_expired(table_->rows().at(row), session_.engine_.now_);
}

bool FakeCursor::arrive(Entries::const_iterator at) {
  row_ = 0;
  while (at != index_->entries.end() && is_absent(at->row)) ++at;
  return at != index_->entries.end() && stand_on(*at);
}

bool FakeCursor::arrive_before(Entries::const_iterator at) {
  row_ = 0;
  while (at != index_->entries.begin()) {
    if (!is_absent((--at)->row)) return stand_on(*at);
  }
  return false;
}

bool FakeCursor::stand_on(const Entry& entry) {
  if (op_ == KeyOperator::kEqual && !begins_with(entry.key, key_)) return false;
  entry_ = entry;
  row_ = entry.row;
  return true;
}

void FakeCursor::begin_count(bool with_filters) {
  HS_ASSERT(session_.here(session_.request_ == this) && counts_ == Counts::kNo);
  counts_ = with_filters ? Counts::kByFilters : Counts::kAll;
}

void FakeCursor::end_count() {
  HS_ASSERT(session_.here(session_.request_ == this) && counts_ != Counts::kNo);
  counts_ = Counts::kNo;
}

Result<std::span<const Value>> FakeCursor::row() {
  HS_ASSERT(session_.here(session_.request_ == this) && counts_ == Counts::kNo);
  const std::lock_guard lock(session_.engine_.mutex_);
  const auto at = table_->rows().find(row_);
  if (at == table_->rows().end()) return Error::engine(kRecordDeleted);
  return values_of(at->second);
}

std::span<const Value> FakeCursor::values_of(const Row& row) {
  for (size_t i = 0; i < columns_.size(); ++i) {
    const Cell& cell = row[columns_[i]];
    values_[i] = Value::null();
    if (cell == Cell()) continue;
    texts_[i] = cell_text(cell);
    values_[i] = Value::of(texts_[i]);
  }
  return values_;
}

Result<void> FakeCursor::set_filters(std::span<const Filter> filters) {
  HS_ASSERT(session_.here(session_.request_ == this));
  filters_.clear();
  for (const Filter& filter : filters) {
    const size_t column = filter_columns_.at(filter.column);
    filters_.emplace_back(column,
                          Condition(table_->columns()[column].type, filter.op, filter.value));
  }
  return {};
}

bool FakeCursor::passes(size_t number) {
  HS_ASSERT(session_.here(session_.request_ == this) && counts_ != Counts::kAll);
  const std::lock_guard lock(session_.engine_.mutex_);
  const auto& [column, condition] = filters_.at(number);
  const auto at = table_->rows().find(row_);
  return at != table_->rows().end() && condition.holds(at->second[column]);
}

std::string_view FakeCursor::position() {
  session_.here();
  position_.assign(reinterpret_cast<const char*>(&row_), sizeof row_);
  return position_;
}

Result<bool> FakeCursor::seek_position(std::string_view position) {
  HS_ASSERT(session_.here(session_.request_ == this) && position.size() == sizeof row_);
  const std::lock_guard lock(session_.engine_.mutex_);
  std::memcpy(&row_, position.data(), sizeof row_);
  const auto at = table_->rows().find(row_);
  if (at != table_->rows().end() && !is_absent(row_) && meets_key(at->second)) return true;
  row_ = 0;
  return false;
}

// Whether the last seek would find the row.
bool FakeCursor::meets_key(const Row& row) const {
  Entry entry;
  for (const size_t column : index_->columns) entry.key.push_back(row[column]);
  if (op_ == KeyOperator::kEqual) return begins_with(entry.key, key_);
  const bool behind = op_ == KeyOperator::kGreater || op_ == KeyOperator::kLessOrEqual;
  return EntryLess()(entry, Bound{key_, behind}) == descending();
}

Result<bool> FakeCursor::keeps_key(std::span<const Value> key) {
  HS_ASSERT(key.size() == key_parts());
  const std::lock_guard lock(session_.engine_.mutex_);
  for (size_t i = 0; i < key.size(); ++i) {
    if (!table_->key_cell(index_->columns[i], key[i]).exact) return false;
  }
  return true;
}

Result<engine::Cursor::Inserted> FakeCursor::insert(std::span<const Value> values) {
  HS_ASSERT(session_.here(session_.request_ == this) &&
            session_.access_ == engine::Access::kInsert);
  HS_ASSERT(values.size() <= columns_.size());
  const std::lock_guard lock(session_.engine_.mutex_);
  Result<Table::Inserted> inserted = table_->insert(columns_, values);
  while (!inserted && gives_way(inserted.error())) inserted = table_->insert(columns_, values);
  if (!inserted) return std::move(inserted.error());
  session_.undo_.push_back({table_, inserted->row, std::nullopt});
  row_ = inserted->row;
  return Inserted{inserted->has_auto_increment, inserted->generated_id};
}

Result<engine::Cursor::Inserted> FakeCursor::put(std::span<const Value> values,
                                                 std::optional<std::span<const Value>> updates,
                                                 RowsInTheWay* in_the_way) {
  HS_ASSERT(session_.here(session_.request_ == this) && engine::inserts(session_.access_) &&
            session_.access_ != engine::Access::kInsert);
  HS_ASSERT(values.size() <= columns_.size() && (!updates || updates->size() <= columns_.size()));
  const std::lock_guard lock(session_.engine_.mutex_);
  for (uint64_t replaced = 0;; ++replaced) {
    Result<Table::Inserted> inserted = table_->insert(columns_, values, &row_);
    while (!inserted && gives_way(inserted.error()))
      inserted = table_->insert(columns_, values, &row_);
    if (inserted) {
      session_.undo_.push_back({table_, inserted->row, std::nullopt});
      row_ = inserted->row;
      return Inserted{inserted->has_auto_increment, inserted->generated_id, 1 + replaced};
    }
    if (row_ == 0) return std::move(inserted.error());
    const Row old = table_->rows().at(row_);
    if (in_the_way != nullptr) {
      if (Result<void> taken = in_the_way->take(values_of(old)); !taken) return taken.error();
    }
    Inserted unchanged{false, 0, 0};
    for (const ColumnDefinition& column : table_->columns())
      unchanged.has_auto_increment |= column.auto_increment;
    if (session_.access_ == engine::Access::kInsertIgnore) {
      row_ = 0;
      return unchanged;
    }
    if (session_.access_ == engine::Access::kUpsert) {
      Result<bool> changed = update_duplicate(updates.value_or(values), !updates);
      if (!changed) return std::move(changed.error());
      if (!*changed) return unchanged;
      Inserted updated{false, 0, 2};
      for (size_t i = 0; i < table_->columns().size(); ++i) {
        if (!table_->columns()[i].auto_increment) continue;
        updated.has_auto_increment = true;
        updated.generated_id = static_cast<uint64_t>(std::get<int64_t>(table_->rows().at(row_)[i]));
      }
      return updated;
    }
    session_.undo_.push_back({table_, row_, old});
    table_->erase(row_);
  }
}

// Updates the current row, which a new one would be a duplicate of. False: it is as it was.
// `keeps_id`: an id that was to be generated is no new value.
Result<bool> FakeCursor::update_duplicate(std::span<const Value> values, bool keeps_id) {
  std::vector<size_t> into;
  std::vector<Value> news;
  for (size_t i = 0; i < values.size(); ++i) {
    const bool is_generated = table_->columns()[columns_[i]].auto_increment &&
                              (values[i].is_null() || values[i].text() == "0");
    if (keeps_id && is_generated) continue;
    into.push_back(columns_[i]);
    news.push_back(values[i]);
  }
  Row old = table_->rows().at(row_);
  if (Result<void> done = update_row(into, news); !done) return std::move(done.error());
  const bool changed = table_->rows().at(row_) != old;
  if (changed) session_.undo_.push_back({table_, row_, std::move(old)});
  return changed;
}

Result<engine::Cursor::Updated> FakeCursor::update(std::span<const Assignment> assignments) {
  HS_ASSERT(session_.here(session_.request_ == this) &&
            session_.access_ == engine::Access::kUpdate);
  const std::lock_guard lock(session_.engine_.mutex_);
  const auto at = table_->rows().find(row_);
  if (at == table_->rows().end()) return Error::engine(kRecordDeleted);
  std::vector<size_t> into;
  std::vector<Value> values;
  Row old = at->second;
  Row sums = old;
  std::deque<std::string> texts;
  for (const Assignment& assignment : assignments) {
    const size_t column = columns_.at(assignment.column);
    into.push_back(column);
    values.push_back(assignment.value);
    if (!assignment.addend) continue;
    std::get<double>(sums[column]) += *assignment.addend;
    values.back() = Value::of(texts.emplace_back(cell_text(sums[column])));
  }
  if (Result<void> done = update_row(into, values); !done) return std::move(done.error());
  session_.undo_.push_back({table_, row_, std::move(old)});
  return Updated::kDone;
}

// Updates the current row; rows that have expired give way.
Result<void> FakeCursor::update_row(std::span<const size_t> into, std::span<const Value> values) {
  Result<void> done = table_->update(row_, into, values);
  while (!done && gives_way(done.error())) done = table_->update(row_, into, values);
  return done;
}

// Whether a row was in the way that has expired, and is deleted now.
bool FakeCursor::gives_way(const Error& error) {
  const RowId row = table_->last_duplicate();
  const bool is_duplicate = error.code == ErrorCode::kEngine && error.number == kDuplicateKey;
  if (!is_duplicate || !is_absent(row)) return false;
  session_.undo_.push_back({table_, row, table_->rows().at(row)});
  table_->erase(row);
  return true;
}

Result<std::optional<int64_t>> FakeCursor::expires_at() {
  const std::lock_guard lock(session_.engine_.mutex_);
  const auto at = table_->rows().find(row_);
  const std::optional<size_t> column = table_->expiry();
  if (at == table_->rows().end() || !column) return std::optional<int64_t>();
  const int64_t* const moment = std::get_if<int64_t>(&at->second[*column]);
  return moment != nullptr && *moment > 0 ? std::optional<int64_t>(*moment) : std::nullopt;
}

Result<Value> FakeCursor::moment(std::optional<int64_t> seconds) {
  const std::optional<size_t> column = table_->expiry();
  if (!column) return Error{ErrorCode::kTableComment, 0, "the table's comment has no ttl="};
  if (!seconds && table_->columns()[*column].nullable) return Value::null();
  moment_ = std::to_string(seconds.value_or(0));
  return Value::of(moment_);
}

Result<void> FakeCursor::erase() {
  HS_ASSERT(session_.here(session_.request_ == this) &&
            session_.access_ == engine::Access::kDelete);
  const std::lock_guard lock(session_.engine_.mutex_);
  const auto at = table_->rows().find(row_);
  if (at == table_->rows().end()) return Error::engine(kRecordDeleted);
  session_.undo_.push_back({table_, row_, at->second});
  table_->erase(row_);
  return {};
}

}  // namespace hs::testing
