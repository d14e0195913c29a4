// SPDX-License-Identifier: GPL-2.0-only
#include "columns/index_search.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "adapter/key_bounds.h"
#include "columns/kinds.h"
#include "columns/text.h"

namespace hs::columns {
namespace {

// Where a search starts. With conditions it starts in front of all rows that have an equal key,
// since the conditions decide: when the index has only the beginning of a column, values that begin
// alike may lie on either side.
ha_rkey_function search_mode(KeyOperator op, bool has_conditions) {
  if (has_conditions && op == KeyOperator::kGreater) op = KeyOperator::kGreaterOrEqual;
  if (has_conditions && op == KeyOperator::kLess) op = KeyOperator::kLessOrEqual;
  switch (op) {
    case KeyOperator::kEqual:
    case KeyOperator::kEqualDescending:
      return HA_READ_KEY_EXACT;
    case KeyOperator::kGreater:
      return HA_READ_AFTER_KEY;
    case KeyOperator::kGreaterOrEqual:
      return HA_READ_KEY_OR_NEXT;
    case KeyOperator::kLess:
      return HA_READ_BEFORE_KEY;
    case KeyOperator::kLessOrEqual:
      return HA_READ_PREFIX_LAST_OR_PREV;
  }
  return HA_READ_KEY_EXACT;
}

bool is_upwards(KeyOperator op) {
  return op == KeyOperator::kGreater || op == KeyOperator::kGreaterOrEqual;
}

}  // namespace

// --- the index ---

Result<void> IndexSearch::open(TABLE* table, uint number) {
  bind(table);
  number_ = number;
  const KEY& key = table->key_info[number];
  const std::span parts(key.key_part, key.user_defined_key_parts);
  index_parts_ = parts.size();
  flags_ = table->file->index_flags(number, 0, true);
  if (table->part_info != nullptr &&
      std::ranges::any_of(parts, [](const auto& part) { return is_virtual(part.field); }))
    return ErrorCode::kUnsupportedTable;
  has_prefixes_ = std::ranges::any_of(
      parts, [](const auto& part) { return (part.key_part_flag & HA_PART_KEY_SEG) != 0; });
  const KEY_PART_INFO& only = parts.front();
  is_plain_ = parts.size() == 1 && only.null_bit == 0 && is_integer(only.field) &&
              only.store_length == only.field->pack_length();
  key_.resize(key.key_length + parts.size() * HA_KEY_NULL_LENGTH + 8);
  return {};
}

Field* IndexSearch::column(size_t part) const {
  return table_->field[table_->key_info[number_].key_part[part].fieldnr - 1];
}

bool IndexSearch::descends(size_t part) const {
  return (table_->key_info[number_].key_part[part].key_part_flag & HA_REVERSE_SORT) != 0;
}

bool IndexSearch::is_cut(size_t part) const {
  return (table_->key_info[number_].key_part[part].key_part_flag & HA_PART_KEY_SEG) != 0;
}

bool IndexSearch::has_column(const Field* field, size_t parts) const {
  for (size_t part = 0; part < parts; ++part)
    if (column(part) == field) return true;
  return false;
}

uint IndexSearch::length_of_parts(size_t parts) const {
  const KEY_PART_INFO* const part = table_->key_info[number_].key_part;
  uint length = 0;
  for (size_t i = 0; i < parts; ++i) length += part[i].store_length;
  return length;
}

// --- the key ---

// A hash index only finds rows by a whole key. Some engines go through a range, but in any order
// (FEDERATED).
bool IndexSearch::allows(KeyOperator op, size_t parts) const {
  if (op != KeyOperator::kEqual && !(flags_ & HA_READ_ORDER)) return false;
  return parts >= index_parts_ || !(flags_ & HA_ONLY_WHOLE_INDEX);
}

Result<bool> IndexSearch::build(KeyOperator op, std::span<const Value> key, bool changes) {
  if (key.empty() && (op != KeyOperator::kGreaterOrEqual || changes)) return ErrorCode::kKeyLength;
  if (key.size() > index_parts_) return ErrorCode::kKeyParts;

  backwards_ = op == KeyOperator::kEqualDescending;
  if (backwards_) op = KeyOperator::kEqual;
  op_ = op;
  parts_ = key.size();
  conditions_.clear();
  for (size_t part = 0; part < key.size(); ++part)
    if (key[part].is_null() && !may_be_null(column(part))) return false;
  for (size_t part = 0; part < parts_; ++part) {
    auto placed = place(op, part, key[part], changes);
    if (!placed || !*placed) return placed;
  }
  if (has_prefixes_) {
    if (auto checked = check_prefixes(op, key); !checked) return std::move(checked.error());
  }
  length_ = length_of_parts(parts_);
  map_ = make_prev_keypart_map(parts_);
  if (parts_ != 0) copy_key();
  return true;
}

// Puts one key value into the record. False: no row has it. Errors: those that SQL raises.
Result<bool> IndexSearch::place(KeyOperator op, size_t part, const Value& value, bool changes) {
  Field* const field = column(part);
  if (value.is_null()) {
    field->set_null();
    return true;
  }
  const Fit place = fit(field, value);
  // What sql_mode takes for no date is a key, but no bound.
  if (place.exact && (op == KeyOperator::kEqual || place.trouble == Fit::Trouble::kNone))
    return true;
  // Only the bound of a range, and only of one that changes nothing, may be a value that the column
  // cannot hold.
  if (!place.exact && (op == KeyOperator::kEqual || changes)) return false;
  if (place.trouble != Fit::Trouble::kNone) return place.error(field);
  if (place.place == Fit::Place::kNowhere) {
    // No row with these earlier parts is in the range. Rows that lie before or behind them may be.
    parts_ = part;
    op_ = adapter::strict(op);
    return part != 0;
  }
  if (is_cut(part)) return true;  // whole values are compared afterwards
  // `5x` is read as 5: the parts behind it count.
  if (place.place == Fit::Place::kStored && place.side == 0) return true;
  // No row has this value, and the parts of the key behind it do not matter.
  if (is_text(field) || place.place == Fit::Place::kByText) {
    if (auto added = add_condition(op, part, value); !added) return std::move(added.error());
  }
  if (place.place == Fit::Place::kByText) {
    parts_ = part;
  } else {
    parts_ = part + 1;
    op_ = adapter::beside(op, descends(part) ? -place.side : place.side);
  }
  return true;
}

// An index on the beginning of a column finds all rows that begin alike, so whole values are
// compared afterwards.
Result<void> IndexSearch::check_prefixes(KeyOperator op, std::span<const Value> key) {
  for (size_t part = 0; part < key.size(); ++part) {
    if (!is_cut(part)) continue;
    // Behind a cut part, rows are not in the order of whole values.
    if (op != KeyOperator::kEqual && part + 1 != key.size()) return ErrorCode::kOperator;
    if (part >= parts_) break;
    if (auto added = add_condition(op, part, key[part]); !added) return added;
  }
  return {};
}

// Adds a condition on key part `part` for rows that have the key's values in all earlier parts.
Result<void> IndexSearch::add_condition(KeyOperator op, size_t part, const Value& value) {
  auto made = ColumnFilter::make_for_text(column(part),
                                          adapter::filter_operator(op, descends(part)), value);
  if (!made) return std::move(made.error());
  conditions_.push_back(std::move(*made));
  before_condition_ = length_of_parts(part);
  return {};
}

// Makes the key from the columns of the record.
void IndexSearch::copy_key() {
  KEY& index = table_->key_info[number_];
  if (is_plain_) {
    std::memcpy(key_.data(), table_->record[0] + index.key_part->offset, length_);
  } else {
    key_copy(key_.data(), table_->record[0], &index, length_);
  }
}

// --- the rows ---

int IndexSearch::begin() {
  handler* const file = table_->file;
  if (file->inited == handler::INDEX) {
    // A partitioned table keeps the state of its merge of partitions from the last search.
    if (table_->part_info == nullptr) return 0;
    file->ha_index_end();
  } else if (file->inited == handler::RND) {
    file->ha_rnd_end();
  }
  return file->ha_index_init(number_, true);
}

void IndexSearch::end() {
  if (table_->file->inited != handler::NONE) table_->file->ha_index_or_rnd_end();
}

int IndexSearch::first() {
  handler* const file = table_->file;
  uchar* const record = table_->record[0];
  const ha_rkey_function mode =
      backwards_ ? HA_READ_PREFIX_LAST : search_mode(op_, !conditions_.empty());
  if (is_upwards(op_)) {
    const key_range start = {key_.data(), length_, map_, mode};
    return first_upwards(table_, length_ == 0 ? nullptr : &start);
  }
  if (length_ == 0) return file->ha_index_last(record);
  return file->ha_index_read_map(record, key_.data(), map_, mode);
}

int IndexSearch::next() {
  handler* const file = table_->file;
  uchar* const record = table_->record[0];
  switch (op_) {
    case KeyOperator::kEqual:
    case KeyOperator::kEqualDescending:
      return backwards_ ? step_back() : file->ha_index_next_same(record, key_.data(), length_);
    case KeyOperator::kGreater:
    case KeyOperator::kGreaterOrEqual:
      return next_upwards(table_);
    case KeyOperator::kLess:
    case KeyOperator::kLessOrEqual:
      break;
  }
  return file->ha_index_prev(record);
}

// The next row of the same key in descending order.
int IndexSearch::step_back() {
  if (const int error = table_->file->ha_index_prev(table_->record[0])) return error;
  const bool differs = key_cmp_if_same(table_, key_.data(), number_, length_);
  return differs ? HA_ERR_END_OF_FILE : 0;
}

bool IndexSearch::meets_conditions() {
  if (conditions_.empty()) return true;
  // A row of a range that differs in an earlier part is in the range by its place in the index.
  if (op_ != KeyOperator::kEqual && before_condition_ != 0 &&
      key_cmp_if_same(table_, key_.data(), number_, before_condition_))
    return true;
  return std::all_of(conditions_.begin(), conditions_.end(),
                     [](ColumnFilter& condition) { return condition.passes(); });
}

bool IndexSearch::meets_key() {
  const int order = compare_with_key(table_->key_info[number_].key_part, key_.data(), length_);
  const bool with_equal = !conditions_.empty();  // the conditions decide
  switch (op_) {
    case KeyOperator::kEqual:
    case KeyOperator::kEqualDescending:
      if (order != 0) return false;
      break;
    case KeyOperator::kGreater:
      if (order < 0 || (order == 0 && !with_equal)) return false;
      break;
    case KeyOperator::kGreaterOrEqual:
      if (order < 0) return false;
      break;
    case KeyOperator::kLess:
      if (order > 0 || (order == 0 && !with_equal)) return false;
      break;
    case KeyOperator::kLessOrEqual:
      if (order > 0) return false;
      break;
  }
  return meets_conditions();
}

std::string_view IndexSearch::position() {
  handler* const file = table_->file;
  file->position(table_->record[0]);
  return {reinterpret_cast<const char*>(file->ref), file->ref_length};
}

int IndexSearch::go_to(std::string_view position) {
  handler* const file = table_->file;
  if (file->inited == handler::INDEX) file->ha_index_end();
  if (file->inited == handler::NONE)
    if (const int error = file->ha_rnd_init(false)) return error;
  const auto* const ref = reinterpret_cast<const uchar*>(position.data());
  return file->ha_rnd_pos(table_->record[0], const_cast<uchar*>(ref));
}

// --- the first part alone ---

size_t IndexSearch::size_of_first_part() const {
  return table_->key_info[number_].key_part[0].store_length;
}

std::string_view IndexSearch::first_part() {
  const size_t size = size_of_first_part();
  key_copy(key_.data(), table_->record[0], &table_->key_info[number_], static_cast<uint>(size));
  return {reinterpret_cast<const char*>(key_.data()), size};
}

int IndexSearch::walk_from(std::string_view first_part, bool with_equal) {
  // As after a search for all rows above.
  op_ = KeyOperator::kGreater;
  backwards_ = false;
  length_ = 0;
  conditions_.clear();
  std::memmove(key_.data(), first_part.data(), first_part.size());
  return table_->file->ha_index_read_map(table_->record[0], key_.data(), 1,
                                         with_equal ? HA_READ_KEY_OR_NEXT : HA_READ_AFTER_KEY);
}

}  // namespace hs::columns
