// SPDX-License-Identifier: GPL-2.0-only
#include "columns/expiry.h"

#include <algorithm>

#include "columns/kinds.h"
#include "columns/text.h"
#include "mapping/table_comment.h"

namespace hs::columns {
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
  set_day(seconds / kSecondsOfDay + kFirstDay, at);
  const auto second = static_cast<uint>(seconds % kSecondsOfDay);
  at->hour = second / 3600;
  at->minute = second / 60 % 60;
  at->second = second % 60;
  return true;
}

// What the time zone is ahead of UTC where the server's time ends: behind that it tells nothing.
int64_t last_offset(const THD* thd) {
  MYSQL_TIME last;
  thd->variables.time_zone->gmt_sec_to_TIME(&last, static_cast<my_time_t>(kLastTime));
  return local_seconds(last) - kLastTime;
}

Error wrong(std::string what) { return Error{ErrorCode::kTableComment, 0, std::move(what)}; }

Field* find(TABLE* table, const std::string& name) {
  for (Field** field = table->field; *field != nullptr; ++field)
    if (!has_no_name(*field) && is_named(*field, name)) return *field;
  return nullptr;
}

// Of a DATETIME. False: it is no moment.
bool read_moment(Field* field, Datetime* at) {
  return read_datetime(field, at) && (at->year != 0 || at->month != 0 || at->day != 0);
}

void set_time(const THD* thd, int64_t seconds, MYSQL_TIME* at) {
  thd->variables.time_zone->gmt_sec_to_TIME(at, static_cast<my_time_t>(seconds));
}

// In an hour that the time zone has twice, the server takes a time for the later of two moments. The
// earlier one, if there is one and it is still to come.
std::optional<int64_t> earlier_one(const THD* thd, int64_t local, int64_t later) {
  if (later <= kSecondsOfDay) return std::nullopt;
  MYSQL_TIME at;
  set_time(thd, later - kSecondsOfDay, &at);
  const int64_t offset_before = local_seconds(at) - (later - kSecondsOfDay);
  const int64_t earlier = local - offset_before;
  if (earlier >= later || earlier <= time_of(thd).seconds) return std::nullopt;
  set_time(thd, earlier, &at);
  return local_seconds(at) == local ? std::optional(earlier) : std::nullopt;
}

}  // namespace

Result<Expiry> Expiry::of(TABLE* table, const std::string& otherwise) {
  Expiry made;
  const auto& comment = table->s->comment;
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
      if (!is_integer(field))
        return wrong("ttl=" + name + " is no DATETIME, TIMESTAMP or integer column");
  }
  if (is_of_versioning(field)) return wrong("ttl=" + name + " is a column of the versioning");
  made.number_ = number_of(field);
  made.bind(table);
  made.is_nullable_ = may_be_null(field);
  made.is_of_comment_ = !parsed->ttl.empty();
  return made;
}

bool Expiry::is_over(const THD* thd) {
  if (field_->is_null()) return false;
  switch (kind_) {
    case Kind::kSeconds: {
      const longlong at = field_->val_int();
      // Above the greatest BIGINT it is far away.
      return at > 0 && at <= time_of(thd).seconds;
    }
    case Kind::kTimestamp: {
      const Moment at = read_timestamp(field_), now = time_of(thd);
      if (at == Moment()) return false;
      return at.seconds < now.seconds ||
             (at.seconds == now.seconds && at.microseconds <= now.microseconds);
    }
    case Kind::kDatetime:
      break;
  }
  Datetime at;
  return read_moment(field_, &at) && packed(at) <= now_packed(thd);
}

longlong Expiry::now_packed(const THD* thd) {
  const Moment time = time_of(thd);
  if (zone_ == thd->variables.time_zone && time_ == time) return now_packed_;
  time_ = time;
  zone_ = thd->variables.time_zone;
  MYSQL_TIME now;
  set_time(thd, time.seconds, &now);
  now.second_part = static_cast<ulong>(time.microseconds);
  now_packed_ = packed(now);
  return now_packed_;
}

int64_t Expiry::seconds_since(const THD* thd) {
  const int64_t now = time_of(thd).seconds;
  switch (kind_) {
    case Kind::kSeconds:
      return now - field_->val_int();
    case Kind::kTimestamp:
      return now - read_timestamp(field_).seconds;
    case Kind::kDatetime:
      break;
  }
  Datetime at;
  if (!read_moment(field_, &at)) return 0;
  // Of an hour that the time zone has twice this may be the later one.
  return std::max<int64_t>(now - in_gmt(thd, at), 0);
}

std::optional<int64_t> Expiry::moment(const THD* thd) {
  if (field_->is_null()) return std::nullopt;
  if (kind_ == Kind::kSeconds) {
    const longlong at = field_->val_int();
    // Above the greatest BIGINT it is far away, below 0 it is none.
    return at > 0 ? std::optional<int64_t>(at) : std::nullopt;
  }
  if (kind_ == Kind::kTimestamp) {
    const Moment at = read_timestamp(field_);
    return at == Moment() ? std::nullopt : std::optional<int64_t>(at.seconds);
  }
  Datetime at;
  if (!read_moment(field_, &at)) return std::nullopt;
  const int64_t local = local_seconds(at);
  if (local > kLastTime) return local - last_offset(thd);
  const int64_t moment = in_gmt(thd, at);
  return earlier_one(thd, local, moment).value_or(moment);
}

Result<std::optional<std::string>> Expiry::text_of(const THD* thd,
                                                   std::optional<int64_t> moment) const {
  if (!moment && is_nullable_) return std::optional<std::string>();
  if (kind_ == Kind::kSeconds) return std::optional(std::to_string(moment.value_or(0)));
  MYSQL_TIME at;
  if (moment && *moment > kLastTime) {
    if (*moment > kLastMoment || !set_local(*moment + last_offset(thd), &at)) {
      return Error{ErrorCode::kSql, ER_DATETIME_FUNCTION_OVERFLOW, "Datetime field overflow"};
    }
  } else if (moment) {
    set_time(thd, *moment, &at);
  } else {
    set_zero_time(&at, MYSQL_TIMESTAMP_DATETIME);
  }
  char text[MAX_DATE_STRING_REP_LENGTH];
  return std::optional(std::string(text, print_datetime(at, text)));
}

void Expiry::store_now(const THD* thd) {
  const int64_t now = time_of(thd).seconds;
  field_->set_notnull();
  if (kind_ == Kind::kSeconds) {
    field_->store(now, false);
    return;
  }
  if (kind_ == Kind::kTimestamp) {
    store_timestamp(field_, now);
    return;
  }
  MYSQL_TIME at;
  set_time(thd, now, &at);
  field_->store_time(&at);
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

}  // namespace hs::columns
