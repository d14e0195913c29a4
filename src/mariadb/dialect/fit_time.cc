// SPDX-License-Identifier: GPL-2.0-only
// Where a text lies among the dates and times of a column.
#include <string_view>

#include "adapter/date_text.h"
#include "base/temporarily.h"
#include "columns/fit_kinds.h"
#include "columns/text.h"
#include "mariadb/release.h"

namespace hs::columns {
namespace {

// While it lives, a DATE or DATETIME is stored as SQL compares it, even one that is in no calendar.
class AnyDate : Temporarily<sql_mode_t> {
 public:
  explicit AnyDate(THD* thd)
      : Temporarily(thd->variables.sql_mode, (thd->variables.sql_mode | MODE_INVALID_DATES) &
                                                 ~(MODE_NO_ZERO_DATE | MODE_NO_ZERO_IN_DATE)) {}
};

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
  // When the time is out of range, store_any() stores the digits of a second behind a zero.
  ulong fraction;
  if (wanted == 0 || field->get_timestamp(&fraction) != 0) return;
  // set_max() would write all six digits of a second, whether the column has room for them or not.
  mariadb::release::store_moment(field, TIMESTAMP_MAX_VALUE, TIME_MAX_SECOND_PART);
  if (field->val_datetime_packed(thd) < wanted) return;
  // The day does not exist in its month, or the day or month is 0: the last moment before it.
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

}  // namespace

Fit fit_time(Field* field, const Value& value) {
  const std::string_view text = value.text();
  const bool is_clean = stores_exactly(field, value);
  // Only digits of a second are lost without a warning.
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
    const ::Datetime parsed(thd, &status, value.data, value.size, charset,
                            ::Datetime::Options_cmp(thd));
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
  Fit fit = stored(false, order(held, wanted));
  fit.sound = is_time && (status.warnings & ~MYSQL_TIME_NOTE_TRUNCATED) == 0;
  fit.exact = is_clean && fit.side == 0 && !adapter::has_more_digits_than_a_microsecond(text);
  return fit;
}

}  // namespace hs::columns
