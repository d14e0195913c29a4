// SPDX-License-Identifier: GPL-2.0-only
// Key values: from the text of a request to the bytes that an index is searched with.
//
// A value that its column cannot hold exactly equals no row, so such a key finds nothing; it is
// never clamped, rounded or cut into another key.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "mariadb/cursor.h"
#include "mariadb/session.h"

namespace hs::mariadb {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  return text;
}

// The condition on whole values for rows behind (kGreater) or before a key in the index.
FilterOperator filter_operator(KeyOperator op, bool descends) {
  switch (op) {
    case KeyOperator::kEqual:
      break;
    case KeyOperator::kGreater:
      return descends ? FilterOperator::kLess : FilterOperator::kGreater;
    case KeyOperator::kGreaterOrEqual:
      return descends ? FilterOperator::kLessOrEqual : FilterOperator::kGreaterOrEqual;
    case KeyOperator::kLess:
      return descends ? FilterOperator::kGreater : FilterOperator::kLess;
    case KeyOperator::kLessOrEqual:
      return descends ? FilterOperator::kGreaterOrEqual : FilterOperator::kLessOrEqual;
  }
  return FilterOperator::kEqual;
}

template <class T>
std::optional<T> parse(std::string_view text) {
  T number{};
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return number;
}

// The number, when it is written with digits alone and so few that it fits in any case.
std::optional<longlong> parse_plain(std::string_view text) {
  constexpr size_t kMostDigits = 18;
  if (text.empty() || text.size() > kMostDigits) return std::nullopt;
  longlong number = 0;
  for (const char c : text) {
    const unsigned digit = static_cast<unsigned char>(c) - unsigned{'0'};
    if (digit > 9) return std::nullopt;
    number = number * 10 + digit;
  }
  return number;
}

// Stores a whole number into an integer column. False: the text is none, or out of the column's
// range.
bool store_integer(Field* field, std::string_view text) {
  if (const auto number = parse_plain(text)) return field->store(*number, false) == 0;
  text = trim(text);
  if (const auto number = parse<longlong>(text)) return field->store(*number, false) == 0;
  if (const auto number = parse<ulonglong>(text))
    return field->store(static_cast<longlong>(*number), true) == 0;
  // SQL takes `1e2` and `3.0` for 100 and 3, too.
  const auto number = parse<double>(text);
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (!number || !(*number >= -kExact && *number <= kExact)) return false;
  const auto whole = static_cast<longlong>(*number);
  return static_cast<double>(whole) == *number && field->store(whole, false) == 0;
}

// The same for DECIMAL, which would round.
bool store_decimal(Field* field, std::string_view text) {
  text = trim(text);
  my_decimal wanted, stored;
  const char* end = text.data() + text.size();
  if (text.empty() ||
      str2my_decimal(E_DEC_OK, text.data(), text.size(), &my_charset_latin1, &wanted, &end) != 0 ||
      end != text.data() + text.size())
    return false;
  return field->store_decimal(&wanted) == 0 &&
         my_decimal_cmp(field->val_decimal(&stored), &wanted) == 0;
}

// False: the column cannot hold the value.
bool store_key(Field* field, const Value& value) {
  if (is_integer(field)) return store_integer(field, value.text());
  if (field->result_type() == DECIMAL_RESULT) return store_decimal(field, value.text());
  if (stores_exactly(field, value)) return true;
  // An ENUM that was given something unknown shows as the empty string, and is found by it.
  if (field->real_type() != MYSQL_TYPE_ENUM || value.size != 0) return false;
  field->reset();
  return true;
}

}  // namespace

// An index on the beginning of a column finds rows that only begin alike; the whole values are
// compared afterwards.
Result<void> MariaCursor::check_prefixes(std::span<const Value> key) {
  prefix_filters_.clear();
  if (!has_prefixes_) return {};
  const KEY& index = table_->key_info[index_];
  uint length = 0;
  for (size_t part = 0; part < key.size(); ++part) {
    const KEY_PART_INFO& key_part = index.key_part[part];
    if (key_part.key_part_flag & HA_PART_KEY_SEG) {
      const bool is_last = part + 1 == key.size();
      // Behind a cut part the index has no order of whole values.
      if (op_ != KeyOperator::kEqual && !is_last) return ErrorCode::kOperator;
      const bool descends = (key_part.key_part_flag & HA_REVERSE_SORT) != 0;
      auto filter = ColumnFilter::make_for_prefix(table_->field[key_part.fieldnr - 1],
                                                  filter_operator(op_, descends), key[part]);
      if (!filter) return filter.error();
      prefix_filters_.push_back(std::move(*filter));
      if (is_last) before_prefix_ = length;
    }
    length += key_part.store_length;
  }
  return {};
}

bool MariaCursor::meets_prefixes() {
  if (prefix_filters_.empty()) return true;
  // In a range, rows that differ in an earlier part lie where they should.
  if (op_ != KeyOperator::kEqual && before_prefix_ != 0 &&
      key_cmp_if_same(table_, key_.data(), index_, before_prefix_) != 0)
    return true;
  return std::all_of(prefix_filters_.begin(), prefix_filters_.end(),
                     [](ColumnFilter& filter) { return filter.passes(); });
}

// From the columns of the record to the key.
void MariaCursor::copy_key(uint length) {
  if (has_plain_key_) {
    std::memcpy(key_.data(), table_->record[0] + table_->key_info[index_].key_part->offset, length);
  } else {
    key_copy(key_.data(), table_->record[0], table_->key_info + index_, length);
  }
}

Result<bool> MariaCursor::build_key(std::span<const Value> key) {
  if (key.empty()) return ErrorCode::kKeyLength;
  if (key.size() > key_parts_) return ErrorCode::kKeyParts;
  THD* thd = session_.thd();
  const KEY& index = table_->key_info[index_];

  // Misfits are never raised as errors, whatever sql_mode says.
  thd->count_cuted_fields = CHECK_FIELD_IGNORE;
  thd->abort_on_warning = false;
  uint length = 0;
  for (size_t part = 0; part < key.size(); ++part) {
    const Value& value = key[part];
    // The column itself: a key part's own field may be cut to what the index has of it.
    Field* field = table_->field[index.key_part[part].fieldnr - 1];
    if (value.is_null()) {
      if (!field->maybe_null()) return false;
      field->set_null();
    } else {
      field->set_notnull();
      if (!store_key(field, value)) return false;
    }
    length += index.key_part[part].store_length;
  }
  if (thd->killed) return ErrorCode::kInterrupted;
  if (auto checked = check_prefixes(key); !checked) return checked.error();
  copy_key(length);
  key_length_ = length;
  key_map_ = make_prev_keypart_map(key.size());
  return true;
}

}  // namespace hs::mariadb
