// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/text.h"

#include <charconv>

namespace hs::mariadb {
namespace {

// ZEROFILL is printed with its zeros, transaction ids of versioned tables have a form of their own.
bool is_plain_integer(const Field* field) {
  return is_integer(field) && !(field->flags & (ZEROFILL_FLAG | VERS_SYSTEM_FIELD));
}

// True when the field's text is UTF-8, or bytes that are nobody's text.
bool travels_as_it_is(const Field* field) {
  CHARSET_INFO* charset = field->charset();
  return value_charset(field) == &my_charset_bin ||
         field->dtcollation().repertoire == MY_REPERTOIRE_ASCII ||
         my_charset_same(charset, &my_charset_utf8mb4_bin) ||
         my_charset_same(charset, &my_charset_utf8mb3_bin);
}

}  // namespace

bool is_integer(const Field* field) {
  switch (field->type()) {
    case MYSQL_TYPE_TINY:
    case MYSQL_TYPE_SHORT:
    case MYSQL_TYPE_INT24:
    case MYSQL_TYPE_LONG:
    case MYSQL_TYPE_LONGLONG:
      return true;
    default:
      return false;
  }
}

bool is_text(const Field* field) {
  const Type_handler* type = field->type_handler();
  return type == &type_handler_string || type == &type_handler_varchar ||
         type == &type_handler_varchar_compressed;
}

bool stores_exactly(Field* field, const Value& value) {
  THD* thd = field->get_thd();
  thd->count_cuted_fields = CHECK_FIELD_WARN;
  thd->abort_on_warning = false;
  thd->cuted_fields = 0;
  if (field->store(value.data, value.size, value_charset(field)) != 0) return false;
  // Some types only warn (SET of an unknown member, FLOAT(7,2) out of range). Text warns of cut
  // spaces, too, which do not count in a comparison.
  return thd->cuted_fields == 0 || is_text(field) || (field->flags & BLOB_FLAG);
}

FieldText::FieldText(Field* field)
    : field_(field),
      reader_(is_plain_integer(field) ? &FieldText::read_number : &FieldText::read_string),
      needs_conversion_(!travels_as_it_is(field)) {}

bool FieldText::read(Value* value) {
  if (field_->is_null()) {
    *value = Value::null();
    return true;
  }
  return (this->*reader_)(value);
}

bool FieldText::read_number(Value* value) {
  const longlong number = field_->val_int();
  const auto end =
      (field_->flags & UNSIGNED_FLAG)
          ? std::to_chars(digits_, digits_ + sizeof digits_, static_cast<ulonglong>(number))
          : std::to_chars(digits_, digits_ + sizeof digits_, number);
  *value = Value::of({digits_, static_cast<size_t>(end.ptr - digits_)});
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

}  // namespace hs::mariadb
