// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/expiry.h"
// (before anything else)
#include <sql_time.h>
#include <tztime.h>

#include <algorithm>

#include "columns/text.h"
#include "mapping/table_comment.h"

namespace hs::mariadb {
namespace {

constexpr int64_t kSecondsOfDay = 86400;
constexpr int64_t kFirstDay = 719528;             // of 1970, as the server counts days
constexpr int64_t kLastMoment = 253'402'300'799;  // 9999-12-31 23:59:59

// As if the time were UTC.
int64_t local_seconds(const MYSQL_TIME& at) {
  const int64_t day = calc_daynr(at.year, at.month, at.day) - kFirstDay;
  return day * kSecondsOfDay + int64_t{at.hour} * 3600 + int64_t{at.minute} * 60 + at.second;
}

// False: it is behind the year 9999.
bool set_local(int64_t seconds, MYSQL_TIME* at) {
  if (seconds > kLastMoment) return false;
  set_zero_time(at, MYSQL_TIMESTAMP_DATETIME);
  get_date_from_daynr(static_cast<long>(seconds / kSecondsOfDay + kFirstDay), &at->year, &at->month,
                      &at->day);
  const auto second = static_cast<uint>(seconds % kSecondsOfDay);
  at->hour = second / 3600;
  at->minute = second / 60 % 60;
  at->second = second % 60;
  return true;
}

// What the time zone is ahead of UTC where the server's TIMESTAMP ends: behind that it tells nothing.
int64_t last_offset(const THD* thd) {
  MYSQL_TIME last;
  thd->variables.time_zone->gmt_sec_to_TIME(&last, TIMESTAMP_MAX_VALUE);
  return local_seconds(last) - int64_t{TIMESTAMP_MAX_VALUE};
}

Error wrong(std::string what) { return Error{ErrorCode::kTableComment, 0, std::move(what)}; }

// As SQL compares names of columns.
Field* find(TABLE* table, std::string_view name) {
  for (Field** field = table->field; *field != nullptr; ++field) {
    const LEX_CSTRING& known = (*field)->field_name;
    if ((*field)->invisible >= INVISIBLE_SYSTEM) continue;
    const auto* a = reinterpret_cast<const uchar*>(known.str);
    const auto* b = reinterpret_cast<const uchar*>(name.data());
    if (system_charset_info->strnncoll(a, known.length, b, name.size()) == 0) return *field;
  }
  return nullptr;
}

}  // namespace

Result<Expiry> Expiry::of(TABLE* table, const std::string& otherwise) {
  Expiry made;
  const LEX_CSTRING& comment = table->s->comment;
  std::string error;
  const auto parsed = mapping::TableComment::parse({comment.str, comment.length}, &error);
  if (!parsed) return wrong(std::move(error));
  const std::string name = parsed->ttl.empty() ? otherwise : std::string(parsed->ttl);
  if (name.empty()) return made;
  Field* const field = find(table, name);
  if (field == nullptr) return wrong("ttl=" + name + " is no column");
  switch (field->real_type()) {
    case MYSQL_TYPE_TIMESTAMP:
    case MYSQL_TYPE_TIMESTAMP2:
      made.kind_ = Kind::kTimestamp;
      break;
    case MYSQL_TYPE_DATETIME:
    case MYSQL_TYPE_DATETIME2:
      made.kind_ = Kind::kDatetime;
      break;
    default:
      if (!columns::is_integer(field))
        return wrong("ttl=" + name + " is no DATETIME, TIMESTAMP or integer column");
  }
  if (field->vers_sys_field()) return wrong("ttl=" + name + " is a column of the versioning");
  made.field_ = field;
  made.is_of_comment_ = !parsed->ttl.empty();
  return made;
}

bool Expiry::is_over(const THD* thd) {
  if (field_->is_null()) return false;
  switch (kind_) {
    case Kind::kSeconds: {
      const longlong at = field_->val_int();
      // Above the greatest BIGINT it is far away.
      return at > 0 && at <= thd->start_time;
    }
    case Kind::kTimestamp: {
      ulong microseconds = 0;
      const my_time_t at = field_->get_timestamp(&microseconds);
      if (at == 0 && microseconds == 0) return false;
      return at < thd->start_time ||
             (at == thd->start_time && microseconds <= thd->start_time_sec_part);
    }
    case Kind::kDatetime:
      break;
  }
  MYSQL_TIME at;
  if (field_->get_date(&at, date_mode_t(0))) return false;
  if (at.year == 0 && at.month == 0 && at.day == 0) return false;
  return pack_time(&at) <= now_packed(thd);
}

longlong Expiry::now_packed(const THD* thd) {
  const bool is_known = seconds_ == thd->start_time && zone_ == thd->variables.time_zone &&
                        microseconds_ == thd->start_time_sec_part;
  if (is_known) return now_packed_;
  MYSQL_TIME now;
  seconds_ = thd->start_time;
  microseconds_ = thd->start_time_sec_part;
  zone_ = thd->variables.time_zone;
  zone_->gmt_sec_to_TIME(&now, seconds_);
  now.second_part = microseconds_;
  now_packed_ = pack_time(&now);
  return now_packed_;
}

int64_t Expiry::seconds_since(const THD* thd) {
  switch (kind_) {
    case Kind::kSeconds:
      return thd->start_time - field_->val_int();
    case Kind::kTimestamp: {
      ulong microseconds = 0;
      return thd->start_time - field_->get_timestamp(&microseconds);
    }
    case Kind::kDatetime:
      break;
  }
  MYSQL_TIME at;
  if (field_->get_date(&at, date_mode_t(0))) return 0;
  uint error = 0;
  const my_time_t moment = thd->variables.time_zone->TIME_to_gmt_sec(&at, &error);
  // Of an hour that the time zone has twice this may be the later one.
  return std::max<int64_t>(thd->start_time - moment, 0);
}

std::optional<int64_t> Expiry::moment(const THD* thd) {
  if (field_->is_null()) return std::nullopt;
  if (kind_ == Kind::kSeconds) {
    const longlong at = field_->val_int();
    // Above the greatest BIGINT it is far away, below 0 it is none.
    return at > 0 ? std::optional<int64_t>(at) : std::nullopt;
  }
  if (kind_ == Kind::kTimestamp) {
    ulong microseconds = 0;
    const my_time_t at = field_->get_timestamp(&microseconds);
    return at == 0 && microseconds == 0 ? std::nullopt : std::optional<int64_t>(at);
  }
  MYSQL_TIME at;
  if (field_->get_date(&at, date_mode_t(0))) return std::nullopt;
  if (at.year == 0 && at.month == 0 && at.day == 0) return std::nullopt;
  uint error = 0;
  const my_time_t found = thd->variables.time_zone->TIME_to_gmt_sec(&at, &error);
  const int64_t local = local_seconds(at);
  return local > TIMESTAMP_MAX_VALUE ? local - last_offset(thd) : int64_t{found};
}

Result<std::optional<std::string>> Expiry::text_of(const THD* thd,
                                                   std::optional<int64_t> moment) const {
  if (!moment && field_->real_maybe_null()) return std::optional<std::string>();
  if (kind_ == Kind::kSeconds) return std::optional(std::to_string(moment.value_or(0)));
  MYSQL_TIME at;
  if (moment && *moment > TIMESTAMP_MAX_VALUE) {
    if (*moment > kLastMoment || !set_local(*moment + last_offset(thd), &at)) {
      return Error{ErrorCode::kSql, ER_DATETIME_FUNCTION_OVERFLOW, "Datetime field overflow"};
    }
  } else if (moment) {
    thd->variables.time_zone->gmt_sec_to_TIME(&at, *moment);
  } else {
    set_zero_time(&at, MYSQL_TIMESTAMP_DATETIME);
  }
  char text[MAX_DATE_STRING_REP_LENGTH];
  return std::optional(std::string(text, static_cast<size_t>(my_datetime_to_str(&at, text, 0))));
}

void Expiry::store_now(const THD* thd) {
  field_->set_notnull();
  if (kind_ == Kind::kSeconds) {
    field_->store(thd->start_time, false);
    return;
  }
  if (kind_ == Kind::kTimestamp) {
    field_->store_timestamp(thd->start_time, 0);
    return;
  }
  MYSQL_TIME now;
  thd->variables.time_zone->gmt_sec_to_TIME(&now, thd->start_time);
  field_->store_time(&now);
}

void Expiry::store_never() {
  field_->set_notnull();
  if (kind_ == Kind::kSeconds) {
    field_->store(0, true);
    return;
  }
  MYSQL_TIME zero;
  set_zero_time(&zero, MYSQL_TIMESTAMP_DATETIME);
  field_->store_time(&zero);
}

}  // namespace hs::mariadb
