// SPDX-License-Identifier: GPL-2.0-only
// Where a text lies among the numbers of a column.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "adapter/number_text.h"
#include "columns/fit_kinds.h"
#include "columns/text.h"

namespace hs::columns {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && my_isspace(&my_charset_latin1, text.front())) text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  // A sign must have its number directly behind it.
  const bool has_plus = text.size() > 1 && text[0] == '+';
  if (has_plus && (text[1] == '.' || my_isdigit(&my_charset_latin1, text[1])))
    text.remove_prefix(1);
  return text;
}

// The server gives a note for blanks behind a number, so they are removed.
Value without_blanks(const Value& value) {
  std::string_view text = value.text();
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return Value::of(text);
}

// Stores a number that the column holds without rounding. False: the text is no number, or would be
// rounded.
bool store_decimal(Field* field, std::string_view text) {
  text = trim(text);
  my_decimal wanted, held;
  const char* end = text.data() + text.size();
  if (text.empty() || read_decimal(text.data(), text.size(), &wanted, &end) != 0 ||
      end != text.data() + text.size())
    return false;
  return takes_decimal(field, &wanted) && my_decimal_cmp(field->val_decimal(&held), &wanted) == 0;
}

// Stores a whole number into an integer column. False: the text is no whole number, or is out of
// the column's range.
bool store_integer(Field* field, std::string_view text) {
  if (const auto number = adapter::short_number(text)) return field->store(*number, false) == 0;
  text = trim(text);
  if (const auto number = adapter::whole_number<longlong>(text))
    return field->store(*number, false) == 0;
  if (const auto number = adapter::whole_number<ulonglong>(text))
    return field->store(static_cast<longlong>(*number), true) == 0;
  // SQL takes `1e2` and `3.0` for 100 and 3, too.
  return store_decimal(field, text);
}

// Whether only blanks stand behind `end` in the value.
bool is_blank(const char* end, const Value& value) {
  return std::all_of(end, value.data + value.size, [](char c) { return c == ' '; });
}

// The number that the text begins with, as SQL reads a text that it compares with a number.
Fit fit_nearest_number(Field* field, const Value& value) {
  my_decimal wanted, held;
  const char* end = value.data + value.size;
  const int error = read_decimal(value.data, value.size, &wanted, &end);
  const bool is_number = (error & E_DEC_BAD_NUM) == 0;
  if (!is_number) my_decimal_set_zero(&wanted);
  (void)field->store_decimal(&wanted);
  Fit fit = stored(false, my_decimal_cmp(field->val_decimal(&held), &wanted));
  fit.sound = is_number && (error & ~E_DEC_TRUNCATED) == 0 && is_blank(end, value);
  return fit;
}

// The number that the field holds. With a fixed number of decimals it is the printed one, since
// rounding to them leaves an error in the last bit.
double held_by(Field_real* field) {
  if (field->not_fixed) return field->val_real();
  String own;
  const String* text = field->val_str(&own, &own);
  const char* end;
  return read_double(&my_charset_latin1, text->ptr(), text->length(), &end);
}

}  // namespace

Fit fit_integer(Field* field, const Value& value) {
  return store_integer(field, value.text()) ? stored(true, 0) : fit_nearest_number(field, value);
}

Fit fit_decimal(Field* field, const Value& value) {
  return store_decimal(field, value.text()) ? stored(true, 0) : fit_nearest_number(field, value);
}

// FLOAT and DOUBLE. The text is read as the column's type, so that a text that was read from a
// FLOAT finds it.
Fit fit_real(Field_real* field, const Value& padded) {
  const Value value = without_blanks(padded);
  const char* end;
  const double wanted = read_double(value_charset(field), value.data, value.size, &end);
  const bool is_clean = stores_exactly(field, value);
  if (!is_clean) (void)field->store(wanted);
  field->set_notnull();
  const bool is_float = field->real_type() == MYSQL_TYPE_FLOAT;
  const double held = held_by(field);
  const int side =
      is_float ? order(static_cast<float>(held), static_cast<float>(wanted)) : order(held, wanted);
  Fit fit = stored(is_clean && side == 0, side);
  fit.sound = end != value.data && is_blank(end, value);
  return fit;
}

// Two digits are a year of this century or the last. Other numbers are themselves, rounded. A YEAR
// is 0 or lies between 1901 and 2155.
Fit fit_year(Field* field, const Value& padded) {
  const Value value = without_blanks(padded);
  const char* end;
  const double wanted = read_double(&my_charset_latin1, value.data, value.size, &end);
  if (stores_exactly(field, value)) return stored(wanted == std::floor(wanted), 0);
  constexpr double kFirst = 1901, kLast = 2155;
  const double held = wanted < kFirst ? 0 : std::floor(std::min(wanted, kLast));
  if (held == 0) {
    *bytes_of(field) = 0;  // store() would make it the year 2000
  } else {
    (void)field->store(static_cast<longlong>(held), true);
  }
  Fit fit = stored(false, order(held, wanted));
  fit.sound = end != value.data && is_blank(end, value);
  return fit;
}

}  // namespace hs::columns
