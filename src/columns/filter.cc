// SPDX-License-Identifier: GPL-2.0-only
#include "columns/filter.h"

#include "adapter/key_bounds.h"
#include "columns/fit.h"
#include "columns/text.h"

namespace hs::columns {
namespace {

Error incomparable(const Field* field) {
  return Error::sql(ER_TRUNCATED_WRONG_VALUE_FOR_FIELD,
                    std::string("Incorrect filter value for column '") + name_of(field) + "'");
}

}  // namespace

Result<ColumnFilter> ColumnFilter::make(Field* field, FilterOperator op, const Value& value) {
  ColumnFilter filter(field, op);
  if (value.is_null()) {
    filter.is_null_ = true;
    return filter;
  }
  if (has_flag(field, BLOB_FLAG)) return ErrorCode::kFilterBlob;
  const Fit place = fit(field, value);
  const bool is_order = op != FilterOperator::kEqual && op != FilterOperator::kNotEqual;
  if (is_order && place.trouble != Fit::Trouble::kNone) return place.error(field);
  if (is_text(field)) {
    if (auto taken = filter.take_text(value); !taken) return taken.error();
    // What is no text of the column's is in no row, whatever its bytes weigh. Nor is one that is too
    // long, as in a key.
    const bool is_no_text = place.trouble != Fit::Trouble::kNone;
    if (is_no_text || (op == FilterOperator::kEqual && !place.exact)) filter.when_equal_ = -1;
    return filter;
  }
  if (!place.sound) return incomparable(field);
  switch (place.place) {
    case Fit::Place::kNowhere:
      return incomparable(field);
    case Fit::Place::kByText:
      if (auto taken = filter.take_text(value); !taken) return taken.error();
      break;
    case Fit::Place::kStored:
      filter.take_stored(place);
      break;
  }
  return filter;
}

Result<ColumnFilter> ColumnFilter::make_for_text(Field* field, FilterOperator op,
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
  uint errors = 0;
  String text;
  if (!text_for(field_, value, &text, &errors)) return Error::engine(HA_ERR_OUT_OF_MEM);
  // No row has a character that the column's character set lacks.
  if (errors != 0) when_equal_ = -1;
  image_.assign(text.ptr(), text.ptr() + text.length());
  return {};
}

void ColumnFilter::take_stored(const Fit& place) {
  when_equal_ = place.side;
  const bool asks_for_equality = op_ == FilterOperator::kEqual || op_ == FilterOperator::kNotEqual;
  if (asks_for_equality && !place.exact && place.side == 0) when_equal_ = -1;
  if (field_->real_type() == MYSQL_TYPE_BIT) {
    // The bits of a BIT column are not all in one place.
    as_text_ = true;
    String own;
    const String* bits = field_->val_str(&own, &own);
    image_.assign(bits->ptr(), bits->ptr() + bits->length());
  } else {
    image_.assign(bytes_of(field_), bytes_of(field_) + field_->pack_length());
  }
}

// The row's value compared with the filter's: negative, 0 or positive. NULL is equal to NULL and
// less than everything else.
int ColumnFilter::compare() {
  const bool row_is_null = field_->is_null();
  if (row_is_null || is_null_) return static_cast<int>(is_null_) - static_cast<int>(row_is_null);
  int order;
  if (as_text_) {
    const String* text = field_->val_str(&scratch_, &scratch_);
    order = compare_texts(field_->charset(), text->ptr(), text->length(),
                          reinterpret_cast<const char*>(image_.data()), image_.size());
  } else {
    order = field_->cmp(bytes_of(field_), image_.data());
  }
  return order != 0 ? order : when_equal_;
}

bool ColumnFilter::passes() { return adapter::meets(op_, compare()); }

Result<void> make_filters(std::span<Field* const> columns,
                          std::span<const engine::Cursor::Filter> filters,
                          std::vector<ColumnFilter>* made) {
  made->clear();
  if (filters.empty()) {
    made->shrink_to_fit();
    return {};
  }
  for (const engine::Cursor::Filter& filter : filters) {
    auto one = ColumnFilter::make(columns[filter.column], filter.op, filter.value);
    if (!one) return one.error();
    made->push_back(std::move(*one));
  }
  return {};
}

}  // namespace hs::columns
