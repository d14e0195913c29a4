// SPDX-License-Identifier: GPL-2.0-only
// When the rows of a table expire: `hs: ttl=column` in its comment.
//
// A row is there until the moment that its column names, as seen by the statement's time: the read
// port has one for each batch, the write port one for each request. NULL, 0 and the zero date are
// no moment, and numbers below 0 neither. A DATETIME is in the global time_zone.
#pragma once

#include "server_rows.h"
// (before anything else)
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace hs::columns {

class Expiry {
 public:
  // Reads the comment of the table, which is open, and binds the expiry to it. `otherwise`: the column if
  // the comment names none; may be empty. Error: kTableComment, with a sentence.
  static Result<Expiry> of(TABLE* table, const std::string& otherwise);

  // The column in this TABLE from here on; null: there is none at present.
  void bind(TABLE* table) {
    field_ = exists() && table != nullptr ? table->field[number_] : nullptr;
  }

  // Whether the comment names the column.
  bool is_of_comment() const { return is_of_comment_; }
  bool exists() const { return number_ != kNone; }
  Field* field() const { return field_; }  // while it is bound

  // Whether the row that the field points to has expired.
  bool has_passed(const THD* thd) {
    if (field_ == nullptr) return false;
    return is_over(thd);
  }
  // By how many seconds the row has, at least 0. After has_passed().
  int64_t seconds_since(const THD* thd);

  // When the row that the field points to expires, in seconds since 1970. None: never.
  std::optional<int64_t> moment(const THD* thd);
  // The text that must be stored for it; none: NULL. Only if it exists. Error: kSql, it is behind all
  // dates.
  Result<std::optional<std::string>> text_of(const THD* thd, std::optional<int64_t> moment) const;

  // Makes the field's value the greatest one that is no moment and not NULL.
  void store_never();
  // Makes it the time of the statement, in whole seconds.
  void store_now(const THD* thd);

 private:
  enum class Kind : uint8_t { kSeconds, kTimestamp, kDatetime };

  bool is_over(const THD* thd);
  longlong now_packed(const THD* thd);

  static constexpr uint kNone = UINT_MAX;

  uint number_ = kNone;  // of the column
  Field* field_ = nullptr;
  Kind kind_ = Kind::kSeconds;
  bool is_of_comment_ = false;
  bool is_nullable_ = false;
  // The time for which now_packed_ is that of the time zone.
  Moment time_;
  const Time_zone* zone_ = nullptr;
  longlong now_packed_ = 0;
};

}  // namespace hs::columns
