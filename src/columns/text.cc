// SPDX-License-Identifier: GPL-2.0-only
#include "columns/text.h"

#include <charconv>

#include "adapter/date_text.h"
#include "columns/kinds.h"

namespace hs::columns {
namespace {

// True when the field's text is UTF-8, or bytes without a character set.
bool travels_as_it_is(const Field* field) {
  Charset* const charset = field->charset();
  return value_charset(field) == charset || holds_ascii_only(field) ||
         my_charset_same(charset, &my_charset_utf8mb4_bin) ||
         my_charset_same(charset, &my_charset_utf8mb3_bin);
}

}  // namespace

FieldText::FieldText(Field* field)
    : field_(field), needs_conversion_(!travels_as_it_is(field)), reader_(reader_of(field)) {}

// The most common types have a reader of their own, which copies and converts nothing twice. All
// others are read as the server itself prints them.
FieldText::Reader FieldText::reader_of(const Field* field) const {
  if (is_integer(field) && prints_digits_alone(field)) return &FieldText::read_number;
  if (is_plain_varchar(field) && !needs_conversion_) return &FieldText::read_varchar;
  if (is_datetime(field) && field->decimals() == 0) return &FieldText::read_datetime;
  return &FieldText::read_string;
}

bool FieldText::read(Value* value) {
  if (field_->is_null()) {
    *value = Value::null();
    return true;
  }
  return (this->*reader_)(value);
}

bool FieldText::read_number(Value* value) {
  const longlong number = field_->val_int();
  const auto end = is_unsigned(field_) ? std::to_chars(digits_, digits_ + sizeof digits_,
                                                       static_cast<ulonglong>(number))
                                       : std::to_chars(digits_, digits_ + sizeof digits_, number);
  *value = Value::of({digits_, static_cast<size_t>(end.ptr - digits_)});
  return true;
}

// As Field_varstring keeps it: one or two bytes of length, the lower first, and the bytes. MariaDB 11.8's
// own macro (uint2korr) reads two bytes only from where two may begin.
bool FieldText::read_varchar(Value* value) {
  const uchar* const stored = bytes_of(field_);
  const uint length_bytes = length_bytes_of(field_);
  const size_t size = length_bytes == 1 ? stored[0] : stored[0] + (size_t{stored[1]} << 8);
  *value = Value::of({reinterpret_cast<const char*>(stored) + length_bytes, size});
  return true;
}

// As Field_datetimef keeps it: 22 bits of year * 13 + month and day, 17 of the time.
bool FieldText::read_datetime(Value* value) {
  const ulonglong packed = mi_uint5korr(bytes_of(field_)) - (1ULL << 39);
  const auto date = static_cast<unsigned>(packed >> 17);
  const auto time = static_cast<unsigned>(packed & 0x1ffff);
  const unsigned year_month = date >> 5;
  const char* const end = adapter::put_date_time(digits_, {.year = year_month / 13,
                                                           .month = year_month % 13,
                                                           .day = date & 31,
                                                           .hour = time >> 12,
                                                           .minute = time >> 6 & 63,
                                                           .second = time & 63});
  *value = Value::of({digits_, static_cast<size_t>(end - digits_)});
  return true;
}

bool FieldText::read_string(Value* value) {
  const String* text = field_->val_str(&text_, &text_);
  if (text == nullptr) {
    *value = Value::null();
    return true;
  }
  if (needs_conversion_) {
    uint errors = 0;
    if (converted_.copy(text->ptr(), text->length(), field_->charset(), value_charset(field_),
                        &errors))
      return false;
    text = &converted_;
  }
  *value = Value::of({text->ptr(), text->length()});
  return true;
}

}  // namespace hs::columns
