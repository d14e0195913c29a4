// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/filter.h"

#include <algorithm>
#include <string_view>

#include "mariadb/text.h"

namespace hs::mariadb {
namespace {

Error incomparable(const Field* field) {
  return Error::sql(
      ER_TRUNCATED_WRONG_VALUE_FOR_FIELD,
      std::string("Incorrect filter value for column '") + field->field_name.str + "'");
}

bool is_exact_number(const Field* field) {
  return field->result_type() == INT_RESULT || field->result_type() == DECIMAL_RESULT;
}

// On which side of the client's value the stored one lies because of digits of a second that the
// column does not have: -1 below, 1 above, 0 there are none. The server has cut them, or rounded.
int side_of_fraction(const Field* field, std::string_view value) {
  const size_t dot = value.rfind('.');
  if (dot == std::string_view::npos) return 0;
  const std::string_view fraction = value.substr(dot + 1);
  const size_t end = std::min(fraction.find_first_not_of("0123456789"), fraction.size());
  // Else the dot is between the parts of a date.
  const std::string_view before = value.substr(0, dot);
  const bool is_fraction = before.find(':') != std::string_view::npos ||
                           before.find_first_not_of(" -0123456789") == std::string_view::npos;
  const size_t kept = std::min<size_t>(field->decimals(), end);
  const std::string_view lost = fraction.substr(kept, end - kept);
  if (!is_fraction || lost.find_first_not_of('0') == std::string_view::npos) return 0;
  const bool rounds = (field->get_thd()->variables.sql_mode & MODE_TIME_ROUND_FRACTIONAL) != 0;
  const int side = rounds && lost[0] >= '5' ? 1 : -1;
  const bool is_negative = value.substr(value.find_first_not_of(' ')).front() == '-';
  return is_negative ? -side : side;
}

}  // namespace

Result<ColumnFilter> ColumnFilter::make(Field* field, FilterOperator op, const Value& value) {
  ColumnFilter filter(field, op);
  if (value.is_null()) {
    filter.is_null_ = true;
    return filter;
  }
  if (field->flags & BLOB_FLAG) return ErrorCode::kFilterBlob;
  Result<void> taken;
  if (is_text(field) || field->real_type() == MYSQL_TYPE_BIT) {
    taken = filter.take_text(value);
  } else if (is_exact_number(field) && field->real_type() != MYSQL_TYPE_YEAR) {
    taken = filter.take_number(value);
  } else {
    taken = filter.take_stored(value);
  }
  if (!taken) return taken.error();
  return filter;
}

Result<ColumnFilter> ColumnFilter::make_for_prefix(Field* field, FilterOperator op,
                                                   const Value& value) {
  ColumnFilter filter(field, op);
  if (value.is_null()) {
    filter.is_null_ = true;
  } else if (auto taken = filter.take_text(value); !taken) {
    return taken.error();
  }
  return filter;
}

Result<void> ColumnFilter::take_text(const Value& value) {
  as_text_ = true;
  if (field_->real_type() == MYSQL_TYPE_BIT) {
    // Raw big-endian bytes of the column's own length.
    if (field_->store(value.data, value.size, &my_charset_bin) != 0) return incomparable(field_);
    // Not scratch_: the filter will be moved, and a String with memory of its own does not survive
    // that (Binary_string's copy constructor is shallow).
    String own;
    const String* bits = field_->val_str(&own, &own);
    image_.assign(bits->ptr(), bits->ptr() + bits->length());
    return {};
  }
  uint errors = 0;
  String converted;
  if (converted.copy(value.data, value.size, value_charset(field_), field_->charset(), &errors))
    return Error::engine(HA_ERR_OUT_OF_MEM);
  // A character that the column's character set lacks is in no row.
  if (errors != 0) when_equal_ = -1;
  image_.assign(converted.ptr(), converted.ptr() + converted.length());
  // BINARY(n) is filled up with zeros.
  if (field_->real_type() == MYSQL_TYPE_STRING && field_->charset() == &my_charset_bin &&
      image_.size() < field_->field_length)
    image_.resize(field_->field_length, 0);
  return {};
}

Result<void> ColumnFilter::take_number(const Value& value) {
  my_decimal wanted, stored;
  const char* end = value.data + value.size;
  const int error =
      str2my_decimal(E_DEC_OK, value.data, value.size, &my_charset_latin1, &wanted, &end);
  const bool rest = std::string_view(end, static_cast<size_t>(value.data + value.size - end))
                        .find_first_not_of(' ') != std::string_view::npos;
  if (error & ~E_DEC_TRUNCATED || rest || value.size == 0) return incomparable(field_);
  // The nearest value that the column holds; which side of the wanted one it lies on decides.
  field_->set_notnull();
  field_->store_decimal(&wanted);
  const int side = my_decimal_cmp(field_->val_decimal(&stored), &wanted);
  when_equal_ = side;
  image_.assign(field_->ptr, field_->ptr + field_->pack_length());
  return {};
}

Result<void> ColumnFilter::take_stored(const Value& value) {
  field_->set_notnull();
  if (!stores_exactly(field_, value)) return incomparable(field_);
  if (field_->cmp_type() == TIME_RESULT) {
    when_equal_ = side_of_fraction(field_, {value.data, value.size});
  }
  image_.assign(field_->ptr, field_->ptr + field_->pack_length());
  return {};
}

// The row's value against the filter's: negative, 0, positive. NULL is equal to NULL and less than
// the rest.
int ColumnFilter::compare() {
  const bool row_is_null = field_->is_null();
  if (row_is_null || is_null_) return static_cast<int>(is_null_) - static_cast<int>(row_is_null);
  int order;
  if (as_text_) {
    const String* text = field_->val_str(&scratch_, &scratch_);
    CHARSET_INFO* charset = field_->charset();
    order = charset->strnncollsp(text->ptr(), text->length(),
                                 reinterpret_cast<const char*>(image_.data()), image_.size());
  } else {
    order = field_->cmp(field_->ptr, image_.data());
  }
  return order != 0 ? order : when_equal_;
}

bool ColumnFilter::passes() {
  const int order = compare();
  switch (op_) {
    case FilterOperator::kEqual:
      return order == 0;
    case FilterOperator::kNotEqual:
      return order != 0;
    case FilterOperator::kGreater:
      return order > 0;
    case FilterOperator::kGreaterOrEqual:
      return order >= 0;
    case FilterOperator::kLess:
      return order < 0;
    case FilterOperator::kLessOrEqual:
      return order <= 0;
  }
  return false;
}

}  // namespace hs::mariadb
