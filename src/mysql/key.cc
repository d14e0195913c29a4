// SPDX-License-Identifier: GPL-2.0-only
// Key values: from the text of a request to the bytes that an index is searched with.
//
// A value that its column cannot hold exactly equals no row, so such a key finds nothing. It is
// never clamped, rounded or cut into another key. As the bound of a range it stands where SQL's
// comparison puts it, between two values that the column can hold.
#include <algorithm>
#include <cstring>

#include "adapter/key_bounds.h"
#include "mysql/cursor.h"
#include "mysql/session.h"

namespace hs::mysql {

// An index on the beginning of a column finds all rows that begin alike, so whole values are
// compared afterwards.
Result<void> MysqlCursor::check_prefixes(KeyOperator op, std::span<const Value> key) {
  const KEY& index = table_->key_info[index_];
  for (size_t part = 0; part < key.size(); ++part) {
    if (!(index.key_part[part].key_part_flag & HA_PART_KEY_SEG)) continue;
    // Behind a cut part, rows are not in the order of whole values.
    if (op != KeyOperator::kEqual && part + 1 != key.size()) return ErrorCode::kOperator;
    if (part >= parts_) break;
    if (auto added = add_condition(op, part, key[part]); !added) return added;
  }
  return {};
}

// Adds a condition on key part `part` for rows that have the key's values in all earlier parts.
Result<void> MysqlCursor::add_condition(KeyOperator op, size_t part, const Value& value) {
  const KEY_PART_INFO& key_part = table_->key_info[index_].key_part[part];
  const bool descends = (key_part.key_part_flag & HA_REVERSE_SORT) != 0;
  auto made = columns::ColumnFilter::make_for_text(table_->field[key_part.fieldnr - 1],
                                                   adapter::filter_operator(op, descends), value);
  if (!made) return made.error();
  conditions_.push_back(std::move(*made));
  before_condition_ = length_of_parts(part);
  return {};
}

uint MysqlCursor::length_of_parts(size_t parts) const {
  const KEY_PART_INFO* part = table_->key_info[index_].key_part;
  uint length = 0;
  for (size_t i = 0; i < parts; ++i) length += part[i].store_length;
  return length;
}

bool MysqlCursor::meets_conditions() {
  if (conditions_.empty()) return true;
  // A row of a range that differs in an earlier part is in the range by its place in the index.
  if (op_ != KeyOperator::kEqual && before_condition_ != 0 &&
      key_cmp_if_same(table_, key_.data(), index_, before_condition_))
    return true;
  return std::all_of(conditions_.begin(), conditions_.end(),
                     [](columns::ColumnFilter& condition) { return condition.passes(); });
}

// Whether the last seek would find the current row by its key.
bool MysqlCursor::meets_key() {
  const int order = key_cmp(table_->key_info[index_].key_part, key_.data(), key_length_, false);
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

// Makes the key from the columns of the record.
void MysqlCursor::copy_key(uint length) {
  if (has_plain_key_) {
    std::memcpy(key_.data(), table_->record[0] + table_->key_info[index_].key_part->offset, length);
  } else {
    key_copy(key_.data(), table_->record[0], table_->key_info + index_, length);
  }
}

// Puts one key value into the record. False: no row has it. Errors: those that SQL raises.
Result<bool> MysqlCursor::place_key(KeyOperator op, size_t part, const Value& value) {
  const KEY_PART_INFO& key_part = table_->key_info[index_].key_part[part];
  // Uses the column itself, since a key part's own field may be cut to what the index has of it.
  Field* field = table_->field[key_part.fieldnr - 1];
  if (value.is_null()) {
    field->set_null();
    return true;
  }
  const columns::Fit place = columns::fit(field, value);
  // What sql_mode takes for no date is a key, but no bound.
  if (place.exact && (op == KeyOperator::kEqual || place.trouble == columns::Fit::Trouble::kNone))
    return true;
  // Only the bound of a range, and only of one that changes nothing, may be a value that the column
  // cannot hold.
  if (!place.exact && (op == KeyOperator::kEqual || changes_)) return false;
  if (place.trouble != columns::Fit::Trouble::kNone) return place.error(field);
  if (place.place == columns::Fit::Place::kNowhere) {
    // No row with these earlier parts is in the range. Rows that lie before or behind them may be.
    parts_ = part;
    op_ = adapter::strict(op);
    return part != 0;
  }
  const bool is_cut = (key_part.key_part_flag & HA_PART_KEY_SEG) != 0;
  if (is_cut) return true;  // whole values are compared afterwards
  // `5x` is read as 5: the parts behind it count.
  if (place.place == columns::Fit::Place::kStored && place.side == 0) return true;
  // No row has this value, and the parts of the key behind it do not matter.
  if (columns::is_text(field) || place.place == columns::Fit::Place::kByText) {
    if (auto added = add_condition(op, part, value); !added) return added.error();
  }
  if (place.place == columns::Fit::Place::kByText) {
    parts_ = part;
  } else {
    parts_ = part + 1;
    op_ = adapter::beside(op, key_part.key_part_flag & HA_REVERSE_SORT ? -place.side : place.side);
  }
  return true;
}

Result<bool> MysqlCursor::build_key(KeyOperator op, std::span<const Value> key) {
  if (key.empty()) return ErrorCode::kKeyLength;
  if (key.size() > key_parts_) return ErrorCode::kKeyParts;

  op_ = op;
  parts_ = key.size();
  conditions_.clear();
  const KEY& index = table_->key_info[index_];
  for (size_t part = 0; part < key.size(); ++part)
    if (key[part].is_null() && !table_->field[index.key_part[part].fieldnr - 1]->is_nullable())
      return false;
  for (size_t part = 0; part < parts_; ++part) {
    auto placed = place_key(op, part, key[part]);
    if (!placed || !*placed) return placed;
  }
  if (session_.thd()->killed != THD::NOT_KILLED)
    return session_.take_error(HA_ERR_QUERY_INTERRUPTED);
  if (has_prefixes_) {
    if (auto checked = check_prefixes(op, key); !checked) return checked.error();
  }
  key_length_ = length_of_parts(parts_);
  key_map_ = make_prev_keypart_map(parts_);
  if (parts_ != 0) copy_key(key_length_);
  return true;
}

Result<bool> MysqlCursor::keeps_key(std::span<const Value> key) {
  end_index();
  Result<bool> built = build_key(KeyOperator::kEqual, key);
  if (!built || !*built) return built;
  Field* const counter = table_->found_next_number_field;
  if (counter == nullptr || (session_.thd()->variables.sql_mode & MODE_NO_AUTO_VALUE_ON_ZERO)) {
    return true;
  }
  const KEY& index = table_->key_info[index_];
  const bool is_key =
      std::any_of(index.key_part, index.key_part + key.size(),
                  [&](const auto& part) { return part.fieldnr == counter->field_index() + 1U; });
  return !is_key || counter->val_int() != 0;
}

}  // namespace hs::mysql
