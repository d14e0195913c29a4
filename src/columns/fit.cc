// SPDX-License-Identifier: GPL-2.0-only
#include "columns/fit.h"

#include <cstring>

#include "columns/fit_kinds.h"
#include "columns/kinds.h"
#include "columns/text.h"

namespace hs::columns {
namespace {

Fit placed_nowhere() {
  Fit fit;
  fit.place = Fit::Place::kNowhere;
  fit.sound = false;
  return fit;
}

// The value is raw big-endian bytes of any length.
Fit fit_bit(Field* field, const Value& value) {
  const WarningsAside aside(field);
  return field->store(value.data, value.size, &my_charset_bin) == 0 ? stored(true, 0)
                                                                    : stored(false, -1);
}

// CHAR, VARCHAR and TEXT, their binary forms, and the names of ENUM and SET.
Fit fit_text(Field* field, const Value& value) {
  const bool has_names =
      field->real_type() == MYSQL_TYPE_ENUM || field->real_type() == MYSQL_TYPE_SET;
  {
    const WarningsAside aside(field);
    (void)field->store(value.data, value.size, value_charset(field));
  }
  String own;
  const String* held = field->val_str(&own, &own);
  if (held->length() == value.size && std::memcmp(held->ptr(), value.data, value.size) == 0)
    return stored(true, 0);

  Charset* const charset = field->charset();
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
  fit.side =
      order(compare_texts(charset, held->ptr(), held->length(), wanted.ptr(), wanted.length()), 0);
  if (fit.side == 0) {
    // The text is equal. With characters that weigh nothing it may still be too long for the
    // column.
    const size_t length = length_without_spaces(charset, wanted.ptr(), wanted.length());
    fit.exact = count_of_characters(charset, wanted.ptr(), length) <= field->char_length();
    return fit;
  }
  // Members of ENUM and SET are in the order of their numbers, so another text has no place among
  // them. In collations where characters weigh nothing, or as much as several, a text does not lie
  // next to its beginning.
  const bool was_cut =
      length_without_spaces(charset, wanted.ptr(), wanted.length()) != held->length();
  const bool has_no_place = has_names || (was_cut && weighs_in_many_ways(charset));
  if (has_no_place) fit.place = Fit::Place::kByText;
  return fit;
}

}  // namespace

Error Fit::error(const Field* field) const {
  const std::string text = std::string("The value for column '") + name_of(field);
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
  Charset* const from = value_charset(field);
  decltype(text->length()) offset = 0;  // whose type differs between the servers
  if (!String::needs_conversion(static_cast<decltype(offset)>(value.size), from, field->charset(),
                                &offset)) {
    text->set(value.data, value.size, field->charset());
    return true;
  }
  if (text->copy(value.data, value.size, from, field->charset(), errors)) return false;
  // MySQL's leaves away a character at the end that is not complete.
  if (!is_well_formed(from, value.data, value.size)) ++*errors;
  return true;
}

Fit fit(Field* field, const Value& value) {
  store_quietly(field);  // the result tells what does not fit
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
  if (compares_as_blob(field)) return fit_text(field, value);
  // Others are their text or nothing: UUID, INET6.
  return stores_exactly(field, value) ? stored(true, 0) : placed_nowhere();
}

}  // namespace hs::columns
