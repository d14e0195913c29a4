// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/fit.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>

#include "mariadb/text.h"

namespace hs::mariadb {
namespace {

Fit stored(bool exact, int side) {
  Fit fit;
  fit.exact = exact;
  fit.side = side;
  return fit;
}

Fit placed_nowhere() {
  Fit fit;
  fit.place = Fit::Place::kNowhere;
  fit.sound = false;
  return fit;
}

template <class T>
int compare(const T& a, const T& b) {
  return a < b ? -1 : static_cast<int>(b < a);
}

// --- numbers ---

std::string_view trim(std::string_view text) {
  while (!text.empty() && my_isspace(&my_charset_latin1, text.front())) text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+') text.remove_prefix(1);
  return text;
}

// Blanks behind a number are noted by the server, and left away.
Value without_blanks(const Value& value) {
  std::string_view text = value.text();
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return Value::of(text);
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

// Stores a number that the column holds without rounding. False: the text is none, or it would be
// rounded.
bool store_decimal(Field* field, std::string_view text) {
  text = trim(text);
  my_decimal wanted, held;
  const char* end = text.data() + text.size();
  if (text.empty() ||
      str2my_decimal(E_DEC_OK, text.data(), text.size(), &my_charset_latin1, &wanted, &end) != 0 ||
      end != text.data() + text.size())
    return false;
  return field->store_decimal(&wanted) == 0 &&
         my_decimal_cmp(field->val_decimal(&held), &wanted) == 0;
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
  const int error =
      str2my_decimal(E_DEC_OK, value.data, value.size, &my_charset_latin1, &wanted, &end);
  const bool is_number = (error & E_DEC_BAD_NUM) == 0;
  if (!is_number) my_decimal_set_zero(&wanted);
  field->store_decimal(&wanted);
  Fit fit = stored(false, my_decimal_cmp(field->val_decimal(&held), &wanted));
  fit.sound = is_number && (error & ~E_DEC_TRUNCATED) == 0 && is_blank(end, value);
  return fit;
}

Fit fit_integer(Field* field, const Value& value) {
  return store_integer(field, value.text()) ? stored(true, 0) : fit_nearest_number(field, value);
}

Fit fit_decimal(Field* field, const Value& value) {
  return store_decimal(field, value.text()) ? stored(true, 0) : fit_nearest_number(field, value);
}

double number_of(CHARSET_INFO* charset, const char* text, size_t size, const char** end) {
  int error = 0;
  char* stop = nullptr;
  const double number = charset->strntod(const_cast<char*>(text), size, &stop, &error);
  *end = stop;
  return number;
}

// What the field holds. With a fixed number of decimals that is what it prints: rounding to them
// leaves an error in the last bit.
double held_by(Field_real* field) {
  if (field->not_fixed) return field->val_real();
  String own;
  const String* text = field->val_str(&own, &own);
  const char* end;
  return number_of(&my_charset_latin1, text->ptr(), text->length(), &end);
}

// FLOAT and DOUBLE. The text is read as the column's type, so what was read from a FLOAT finds it.
Fit fit_real(Field_real* field, const Value& value) {
  const char* end;
  const double wanted = number_of(value_charset(field), value.data, value.size, &end);
  const bool is_clean = stores_exactly(field, value);
  if (!is_clean) field->store(wanted);
  field->set_notnull();
  const bool is_float = field->real_type() == MYSQL_TYPE_FLOAT;
  const double held = held_by(field);
  const int side = is_float ? compare(static_cast<float>(held), static_cast<float>(wanted))
                            : compare(held, wanted);
  Fit fit = stored(is_clean && side == 0, side);
  fit.sound = end != value.data && is_blank(end, value);
  return fit;
}

// Two digits are a year of this century or the last; other numbers are themselves, rounded. A YEAR
// is 0 or lies between 1901 and 2155.
Fit fit_year(Field* field, const Value& value) {
  const char* end;
  const double wanted = number_of(&my_charset_latin1, value.data, value.size, &end);
  if (stores_exactly(field, value)) return stored(wanted == std::floor(wanted), 0);
  constexpr double kFirst = 1901, kLast = 2155;
  const double held = wanted < kFirst ? 0 : std::floor(std::min(wanted, kLast));
  if (held == 0) {
    *field->ptr = 0;  // store() would make it 2000
  } else {
    field->store(static_cast<longlong>(held), true);
  }
  Fit fit = stored(false, compare(held, wanted));
  fit.sound = end != value.data && is_blank(end, value);
  return fit;
}

// Raw big-endian bytes of any length.
Fit fit_bit(Field* field, const Value& value) {
  return field->store(value.data, value.size, &my_charset_bin) == 0 ? stored(true, 0)
                                                                    : stored(false, -1);
}

// --- dates and times ---

// Lets a DATE or DATETIME be stored as SQL compares it: also one that is in no calendar.
class AnyDate {
 public:
  explicit AnyDate(THD* thd) : mode_(thd->variables.sql_mode), was_(mode_) {
    mode_ = (mode_ | MODE_INVALID_DATES) & ~(MODE_NO_ZERO_DATE | MODE_NO_ZERO_IN_DATE);
  }
  ~AnyDate() { mode_ = was_; }
  AnyDate(const AnyDate&) = delete;
  AnyDate& operator=(const AnyDate&) = delete;

 private:
  sql_mode_t& mode_;
  const sql_mode_t was_;
};

bool has_more_digits_than_a_microsecond(std::string_view text) {
  const size_t dot = text.rfind('.');
  if (dot == std::string_view::npos) return false;
  constexpr size_t kDigits = 6;
  const std::string_view fraction = text.substr(dot + 1);
  return fraction.size() > kDigits &&
         fraction.find_first_not_of("0 ", kDigits) != std::string_view::npos;
}

void store_any(Field* field, const MYSQL_TIME& time) {
  MYSQL_TIME copy = time;
  field->store_time_dec(&copy, TIME_SECOND_PART_DIGITS);
}

uint days_of_month(uint year, uint month) {
  constexpr uint kFebruary = 2;
  const bool is_leap_day = month == kFebruary && calc_days_in_year(year) == 366;
  return days_in_month[month - 1] + static_cast<uint>(is_leap_day);
}

// A TIMESTAMP begins in 1970 and ends in 2038, and has only dates of the calendar.
void store_nearest_timestamp(Field* field, const MYSQL_TIME& time, longlong wanted) {
  THD* thd = field->get_thd();
  store_any(field, time);
  if (wanted == 0 || field->val_datetime_packed(thd) != 0) return;
  // Not set_max(), which writes all six digits of a second whether the column has room or not.
  timeval last = {TIMESTAMP_MAX_VALUE, TIME_MAX_SECOND_PART};
  my_timeval_trunc(&last, field->decimals());
  field->store_timestamp_dec(last, TIME_SECOND_PART_DIGITS);
  if (field->val_datetime_packed(thd) < wanted) return;
  // The last moment in front of a day that its month does not have, or of a day or month 0.
  MYSQL_TIME end = time;
  if (end.month == 0 || (end.day == 0 && end.month == 1)) {
    constexpr uint kDecember = 12;
    end.month = kDecember;
    if (end.year != 0) --end.year;
  } else if (end.day == 0) {
    --end.month;
  }
  end.day = days_of_month(end.year, end.month);
  if (time.month != 0 && time.day != 0 && end.day >= time.day) {
    field->reset();
    return;
  }
  end.hour = 23;
  end.minute = end.second = 59;
  end.second_part = 999999;
  store_any(field, end);
}

Fit fit_time(Field* field, const Value& value) {
  const std::string_view text = value.text();
  const bool is_clean = stores_exactly(field, value);
  // Digits of a second are the one thing that is lost silently.
  if (is_clean && text.find('.') == std::string_view::npos) return stored(true, 0);
  THD* thd = field->get_thd();
  const AnyDate any_date(thd);
  CHARSET_INFO* charset = value_charset(field);
  MYSQL_TIME time;
  Temporal::Status status;
  longlong wanted, held;
  bool is_time;
  if (field->type() == MYSQL_TYPE_TIME) {
    const Time parsed(thd, &status, value.data, value.size, charset, Time::Options_cmp(thd));
    is_time = parsed.is_valid_time();
    wanted = is_time ? parsed.to_packed() : 0;
    if (is_time)
      parsed.copy_to_mysql_time(&time);
    else
      set_zero_time(&time, MYSQL_TIMESTAMP_TIME);
    store_any(field, time);
    held = field->val_time_packed(thd);
  } else {
    const Datetime parsed(thd, &status, value.data, value.size, charset,
                          Datetime::Options_cmp(thd));
    is_time = parsed.is_valid_datetime();
    wanted = is_time ? parsed.to_packed() : 0;
    if (is_time)
      parsed.copy_to_mysql_time(&time);
    else
      set_zero_time(&time, MYSQL_TIMESTAMP_DATETIME);
    if (field->type() == MYSQL_TYPE_TIMESTAMP) {
      store_nearest_timestamp(field, time, wanted);
    } else {
      store_any(field, time);
    }
    held = field->val_datetime_packed(thd);
  }
  Fit fit = stored(false, compare(held, wanted));
  fit.sound = is_time && (status.warnings & ~MYSQL_TIME_NOTE_TRUNCATED) == 0;
  fit.exact = is_clean && fit.side == 0 && !has_more_digits_than_a_microsecond(text);
  return fit;
}

// --- text ---

bool is_well_formed(CHARSET_INFO* charset, const String& text) {
  return Well_formed_prefix(charset, text.ptr(), text.length()).length() == text.length();
}

// CHAR, VARCHAR, TEXT, their binary kin, and the names of ENUM and SET.
Fit fit_text(Field* field, const Value& value) {
  const bool has_names =
      field->real_type() == MYSQL_TYPE_ENUM || field->real_type() == MYSQL_TYPE_SET;
  field->store(value.data, value.size, value_charset(field));
  String own;
  const String* held = field->val_str(&own, &own);
  if (held->length() == value.size && std::memcmp(held->ptr(), value.data, value.size) == 0)
    return stored(true, 0);

  CHARSET_INFO* charset = field->charset();
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
  if (charset != &my_charset_bin && !is_well_formed(charset, wanted)) {
    fit.side = -1;
    fit.trouble = Fit::Trouble::kBrokenText;
    return fit;
  }
  fit.side = charset->strnncollsp(held->ptr(), held->length(), wanted.ptr(), wanted.length());
  fit.side = compare(fit.side, 0);
  if (fit.side == 0) {
    // Too long, and equal all the same, is also a text with characters that weigh nothing.
    const size_t length = charset->lengthsp(wanted.ptr(), wanted.length());
    fit.exact = charset->numchars(wanted.ptr(), wanted.ptr() + length) <= field->char_length();
    return fit;
  }
  // Members are in the order of their numbers; what is no member is nowhere among them.
  const bool has_no_place = has_names ||
                            // With characters that weigh nothing, or as much as several, what was
                            // cut off says more than that the rest is a beginning.
                            ((charset->state & MY_CS_NON1TO1) != 0 &&
                             charset->lengthsp(wanted.ptr(), wanted.length()) != held->length());
  if (has_no_place) fit.place = Fit::Place::kByText;
  return fit;
}

}  // namespace

Error Fit::error(const Field* field) const {
  std::string text = std::string("The key of column '") + field->field_name.str;
  switch (trouble) {
    case Trouble::kBrokenText:
      return Error::sql(ER_INVALID_CHARACTER_STRING, text + "' is not text");
    case Trouble::kForeignText:
      return Error::sql(ER_CANT_AGGREGATE_2COLLATIONS,
                        text + "' has characters that its character set lacks");
    default:
      return Error::engine(HA_ERR_OUT_OF_MEM);
  }
}

bool text_for(const Field* field, const Value& value, String* text, uint* errors) {
  CHARSET_INFO* from = value_charset(field);
  uint32 offset = 0;
  if (!String::needs_conversion(static_cast<uint32>(value.size), from, field->charset(), &offset)) {
    text->set(value.data, value.size, field->charset());
    return true;
  }
  return !text->copy(value.data, value.size, from, field->charset(), errors);
}

Fit fit(Field* field, const Value& value) {
  THD* thd = field->get_thd();
  // What does not fit is told by the result; nothing is raised, whatever sql_mode says.
  thd->count_cuted_fields = CHECK_FIELD_IGNORE;
  thd->abort_on_warning = false;
  field->set_notnull();
  switch (field->real_type()) {
    case MYSQL_TYPE_ENUM:
    case MYSQL_TYPE_SET:
      return fit_text(field, value);
    case MYSQL_TYPE_YEAR:
      return fit_year(field, without_blanks(value));
    case MYSQL_TYPE_BIT:
      return fit_bit(field, value);
    default:
      break;
  }
  if (is_integer(field)) return fit_integer(field, value);
  if (is_text(field)) return fit_text(field, value);
  if (field->result_type() == DECIMAL_RESULT) return fit_decimal(field, value);
  if (field->result_type() == REAL_RESULT)
    return fit_real(static_cast<Field_real*>(field), without_blanks(value));
  if (field->cmp_type() == TIME_RESULT) return fit_time(field, value);
  if ((field->flags & BLOB_FLAG) && field->type() != MYSQL_TYPE_GEOMETRY)
    return fit_text(field, value);
  // UUID, INET: SQL makes NULL of what is none.
  return stores_exactly(field, value) ? stored(true, 0) : placed_nowhere();
}

}  // namespace hs::mariadb
