// SPDX-License-Identifier: GPL-2.0-only
// Where a text lies among the dates and times of a column.
#include <string_view>

#include "adapter/date_text.h"
#include "base/temporarily.h"
#include "columns/fit_kinds.h"
#include "columns/text.h"
#include "sql/sql_time.h"

namespace hs::columns {
namespace {

// While it lives, a DATE or DATETIME is stored as SQL compares it, even a zero.
class AnyDate : Temporarily<sql_mode_t> {
 public:
  explicit AnyDate(THD* thd)
      : Temporarily(thd->variables.sql_mode,
                    thd->variables.sql_mode & ~(MODE_NO_ZERO_DATE | MODE_NO_ZERO_IN_DATE)) {}

  sql_mode_t session_mode() const { return before(); }
};

// The first moment that is not before the time, which may lack a month or a day.
MYSQL_TIME with_a_day(MYSQL_TIME time) {
  if (time.month != 0 && time.day != 0) return time;
  if (time.month == 0) time.month = 1;
  time.day = 1;
  time.hour = time.minute = time.second = 0;
  time.second_part = 0;
  return time;
}

// A TIMESTAMP ends in 2038. One that is later would be stored as a zero, as would one without a day.
void store_nearest_timestamp(Field* field, MYSQL_TIME time, longlong wanted) {
  if (wanted != 0) time = with_a_day(time);
  (void)field->store_time(&time, DATETIME_MAX_DECIMALS);
  constexpr unsigned kFirstYear = 1970;
  if (field->val_date_temporal() != 0 || wanted == 0 || time.year < kFirstYear) return;
  my_timeval last = {TYPE_TIMESTAMP_MAX_VALUE, 999999};
  my_timeval_trunc(&last, field->decimals());
  field->store_timestamp(&last);
}

// Whether SQL compares no column of dates with the one that the field holds. A zero, which SQL does
// not compare with NO_ZERO_DATE either, is where a range over all rows begins.
bool is_refused(const Field* field, sql_mode_t mode) {
  if (field->type() == MYSQL_TYPE_TIME) return false;
  const longlong packed = field->val_date_temporal();
  if (packed == 0) return false;
  MYSQL_TIME held;
  TIME_from_longlong_datetime_packed(&held, packed);
  return (mode & MODE_NO_ZERO_IN_DATE) != 0 && (held.month == 0 || held.day == 0);
}

int64_t stored_time(const Field* field) {
  Time_val held;
  (void)field->val_time(&held);
  return held.for_comparison();
}

Fit no_time() {
  Fit fit;
  fit.place = Fit::Place::kNowhere;
  fit.sound = false;
  return fit;
}

// SQL refuses to compare a column of dates with it.
Fit no_date() {
  Fit fit = no_time();
  fit.trouble = Fit::Trouble::kNoDate;
  return fit;
}

}  // namespace

Fit fit_time(Field* field, const Value& value) {
  const std::string_view text = value.text();
  const AnyDate any_date(field->table->in_use);
  const bool is_clean = stores_exactly(field, value);
  // Only digits of a second are lost without a warning.
  if (is_clean && text.find('.') == std::string_view::npos) {
    Fit fit = stored(true, 0);
    // A row that has it is found by = all the same.
    if (is_refused(field, any_date.session_mode())) fit.trouble = Fit::Trouble::kNoDate;
    return fit;
  }
  const WarningsAside aside(field);
  const CHARSET_INFO* const charset = value_charset(field);
  MYSQL_TIME time;
  MYSQL_TIME_STATUS status;
  int side = 0;
  if (field->type() == MYSQL_TYPE_TIME) {
    if (str_to_time(charset, value.data, value.size, &time, TIME_NO_FLAGS, &status))
      return no_time();
    const int64_t wanted = Time_val(time).for_comparison();  // before the store rounds `time`
    (void)field->store_time(&time, DATETIME_MAX_DECIMALS);
    side = order(stored_time(field), wanted);
    // It was cut to the last time that there is.
    if ((status.warnings & MYSQL_TIME_WARN_OUT_OF_RANGE) != 0) side = time.neg ? 1 : -1;
    // SQL rounds what it compares a TIME with to the digits of the column.
    if (side != 0 && is_clean) return stored(false, 0);
  } else {
    const my_time_flags_t flags = Field_temporal::temporal_flags(any_date.session_mode()) &
                                  ~(TIME_FRAC_TRUNCATE | TIME_NO_ZERO_DATE);
    if (str_to_datetime(charset, value.data, value.size, &time, flags, &status)) return no_date();
    time.time_type = MYSQL_TIMESTAMP_DATETIME;  // what is a DATE alone is not stored
    const longlong wanted = TIME_to_longlong_datetime_packed(time);
    if (field->type() == MYSQL_TYPE_TIMESTAMP) {
      store_nearest_timestamp(field, time, wanted);
    } else {
      (void)field->store_time(&time, DATETIME_MAX_DECIMALS);
    }
    side = order(field->val_date_temporal(), wanted);
  }
  Fit fit = stored(false, side);
  fit.sound = (status.warnings & ~MYSQL_TIME_NOTE_TRUNCATED) == 0;
  fit.exact = is_clean && side == 0 && !adapter::has_more_digits_than_a_microsecond(text);
  return fit;
}

}  // namespace hs::columns
