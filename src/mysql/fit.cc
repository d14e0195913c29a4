// SPDX-License-Identifier: GPL-2.0-only
#include "mysql/fit.h"

#include <cstring>

#include "mysql/fit_kinds.h"
#include "mysql/text.h"
#include "mysql/warnings_aside.h"

namespace hs::mysql {
namespace {

Fit placed_nowhere() {
  Fit fit;
  fit.place = Fit::Place::kNowhere;
  fit.sound = false;
  return fit;
}

// The value is raw big-endian bytes of any length.
Fit fit_bit(Field* field, const Value& value) {
  const WarningsAside aside(field->table->in_use);
  return field->store(value.data, value.size, &my_charset_bin) == TYPE_OK ? stored(true, 0)
                                                                          : stored(false, -1);
}

bool is_well_formed(const CHARSET_INFO* charset, const char* text, size_t size) {
  int error = 0;
  const size_t length = charset->cset->well_formed_len(charset, text, text + size, size, &error);
  return error == 0 && length == size;
}

const uchar* bytes_of(const String& text) { return reinterpret_cast<const uchar*>(text.ptr()); }

size_t length_of(const CHARSET_INFO* charset, const String& text) {
  return charset->cset->lengthsp(charset, text.ptr(), text.length());
}

// Whether characters may weigh nothing, or as much as several.
bool weighs_in_many_ways(const CHARSET_INFO* charset) {
  return (charset->state & (MY_CS_BINSORT | MY_CS_PUREASCII)) == 0;
}

bool is_time(const Field* field) {
  switch (field->type()) {
    case MYSQL_TYPE_DATE:
    case MYSQL_TYPE_DATETIME:
    case MYSQL_TYPE_TIME:
    case MYSQL_TYPE_TIMESTAMP:
      return true;
    default:
      return false;
  }
}

// CHAR, VARCHAR and TEXT, their binary forms, and the names of ENUM and SET.
Fit fit_text(Field* field, const Value& value) {
  const bool has_names =
      field->real_type() == MYSQL_TYPE_ENUM || field->real_type() == MYSQL_TYPE_SET;
  {
    const WarningsAside aside(field->table->in_use);
    (void)field->store(value.data, value.size, value_charset(field));
  }
  String own;
  const String* held = field->val_str(&own, &own);
  if (held->length() == value.size && std::memcmp(held->ptr(), value.data, value.size) == 0)
    return stored(true, 0);

  const CHARSET_INFO* const charset = field->charset();
  String wanted;
  uint errors = 0;
  Fit fit = stored(false, 0);
  if (!text_for(field, value, &wanted, &errors)) {
    fit.trouble = Fit::Trouble::kOutOfMemory;
    return fit;
  }
  if (errors != 0) {
    fit.side = -1;
    fit.trouble = Fit::Trouble::kForeignText;
    return fit;
  }
  if (charset != &my_charset_bin && !is_well_formed(charset, wanted.ptr(), wanted.length())) {
    fit.side = -1;
    fit.trouble = Fit::Trouble::kBrokenText;
    return fit;
  }
  fit.side = order(charset->coll->strnncollsp(charset, bytes_of(*held), held->length(),
                                              bytes_of(wanted), wanted.length()),
                   0);
  if (fit.side == 0) {
    // The text is equal. With characters that weigh nothing it may still be too long for the
    // column.
    const size_t length = length_of(charset, wanted);
    fit.exact = charset->cset->numchars(charset, wanted.ptr(), wanted.ptr() + length) <=
                field->char_length();
    return fit;
  }
  // Members of ENUM and SET are in the order of their numbers, so another text has no place among
  // them. In collations where characters weigh nothing, or as much as several, a text does not lie
  // next to its beginning.
  const bool was_cut = length_of(charset, wanted) != held->length();
  const bool has_no_place = has_names || (was_cut && weighs_in_many_ways(charset));
  if (has_no_place) fit.place = Fit::Place::kByText;
  return fit;
}

}  // namespace

Error Fit::error(const Field* field) const {
  const std::string text = std::string("The value for column '") + field->field_name;
  switch (trouble) {
    case Trouble::kBrokenText:
      return Error::sql(ER_INVALID_CHARACTER_STRING, text + "' is not text");
    case Trouble::kForeignText:
      return Error::sql(ER_CANT_AGGREGATE_2COLLATIONS,
                        text + "' has characters that its character set lacks");
    case Trouble::kNoDate:
      return Error::sql(ER_WRONG_VALUE, text + "' is no date");
    default:
      return Error::engine(HA_ERR_OUT_OF_MEM);
  }
}

bool text_for(const Field* field, const Value& value, String* text, uint* errors) {
  const CHARSET_INFO* const from = value_charset(field);
  size_t offset = 0;
  if (!String::needs_conversion(value.size, from, field->charset(), &offset)) {
    text->set(value.data, value.size, field->charset());
    return true;
  }
  if (text->copy(value.data, value.size, from, field->charset(), errors)) return false;
  // It leaves away a character at the end that is not complete.
  if (!is_well_formed(from, value.data, value.size)) ++*errors;
  return true;
}

Fit fit(Field* field, const Value& value) {
  // The result tells what does not fit. Nothing is raised, whatever sql_mode says.
  field->table->in_use->check_for_truncated_fields = CHECK_FIELD_IGNORE;
  field->set_notnull();
  if (is_integer(field)) return fit_integer(field, value);
  switch (field->real_type()) {
    case MYSQL_TYPE_ENUM:
    case MYSQL_TYPE_SET:
      return fit_text(field, value);
    case MYSQL_TYPE_YEAR:
      return fit_year(field, value);
    case MYSQL_TYPE_BIT:
      return fit_bit(field, value);
    default:
      break;
  }
  if (is_text(field)) return fit_text(field, value);
  if (field->result_type() == DECIMAL_RESULT) return fit_decimal(field, value);
  if (field->result_type() == REAL_RESULT) return fit_real(static_cast<Field_real*>(field), value);
  if (is_time(field)) return fit_time(field, value);
  if (field->is_flag_set(BLOB_FLAG) && field->type() == MYSQL_TYPE_BLOB)
    return fit_text(field, value);
  return stores_exactly(field, value) ? stored(true, 0) : placed_nowhere();
}

}  // namespace hs::mysql
