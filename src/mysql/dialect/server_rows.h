// SPDX-License-Identifier: GPL-2.0-only
// What src/columns asks of the server about times and whole rows, in MySQL's words. src/mariadb/dialect has
// the same functions in MariaDB's.
#pragma once

#include "mysql/server_headers.h"
// (before anything else)
#include <cstddef>
#include <cstdint>
#include <string>

#include "my_temporal.h"
#include "my_time.h"
#include "sql/sql_time.h"
#include "sql/tztime.h"

namespace hs::columns {

// --- a column ---

inline uint number_of(const Field* field) { return field->field_index(); }
inline bool may_be_null(const Field* field) { return field->is_nullable(); }
// The server itself has made it, and it has no name for users.
inline bool has_no_name(const Field* field) { return field->is_hidden_by_system(); }
// As SQL compares names of columns.
inline bool is_named(const Field* field, const std::string& name) {
  return my_strcasecmp(system_charset_info, field->field_name, name.c_str()) == 0;
}
// The beginning or the end of a row of a versioned table.
inline bool is_of_versioning(const Field*) { return false; }
inline bool is_end_of_versions(const Field*) { return false; }
// What a BLOB has in another row of its TABLE.
inline const uchar* blob_at(Field_blob* field, ptrdiff_t distance) {
  return field->get_blob_data(distance);
}
inline size_t place_in_row(const Field* field) { return field->offset(field->table->record[0]); }
// It is computed when it is read.
inline bool is_virtual(const Field* field) { return field->is_virtual_gcol(); }
// The server computes it, and clients do not give it.
inline bool is_computed(const Field* field) { return field->is_gcol(); }
// It is there only for those who name it.
inline bool is_hidden(const Field* field) { return field->is_hidden_by_user(); }

// --- an index ---

inline const char* name_of(const KEY& key) { return key.name; }
// Whether the index is an ordered or a hash index over values of its columns.
inline bool is_of_values(const KEY& key) {
  return (key.flags & (HA_FULLTEXT | HA_SPATIAL | HA_MULTI_VALUED_KEY)) == 0;
}
// Of the current row. Negative, 0 or positive, in the order of the index.
inline int compare_with_key(KEY_PART_INFO* part, const uchar* key, uint length) {
  return key_cmp(part, key, length, false);
}
// Goes to the first row of a range upwards, and to the next one. Null: from the beginning.
inline int first_upwards(TABLE* table, const key_range* start) {
  handler* const file = table->file;
  if (start == nullptr) return file->ha_index_first(table->record[0]);
  return file->ha_index_read_map(table->record[0], start->key, start->keypart_map, start->flag);
}
inline int next_upwards(TABLE* table) { return table->file->ha_index_next(table->record[0]); }

// --- times ---

using Datetime = Datetime_val;

struct Moment {
  int64_t seconds = 0, microseconds = 0;  // since 1970
  bool operator==(const Moment&) const = default;
};
// Of the statement.
inline Moment time_of(const THD* thd) { return {thd->start_time.tv_sec, thd->start_time.tv_usec}; }
// Behind this one the server's time zones tell nothing.
inline constexpr int64_t kLastTime = MYTIME_MAX_VALUE;

// Of a TIMESTAMP; 0: it is the zero date.
inline Moment read_timestamp(const Field* field) {
  my_timeval at{0, 0};
  int warnings = 0;
  if (field->get_timestamp(&at, &warnings)) return {};
  return {at.m_tv_sec, at.m_tv_usec};
}
// Of a DATETIME. False: it has none.
inline bool read_datetime(Field* field, Datetime* at) { return !field->val_datetime(at, 0); }
inline void store_timestamp(Field* field, int64_t seconds) {
  const my_timeval at{seconds, 0};
  field->store_timestamp(&at);
}
// Numbers that are in the order of the times.
inline longlong packed(const MYSQL_TIME& at) { return TIME_to_longlong_datetime_packed(at); }
inline int64_t in_gmt(const THD* thd, const MYSQL_TIME& at) {
  bool is_in_gap = false;
  return thd->variables.time_zone->TIME_to_gmt_sec(&at, &is_in_gap);
}
// Days are counted as TO_DAYS() does.
inline void set_day(int64_t day, MYSQL_TIME* at) {
  get_date_from_daynr(day, &at->year, &at->month, &at->day);
}
inline size_t print_datetime(const MYSQL_TIME& at, char* text) {
  return static_cast<size_t>(my_datetime_to_str(at, text, 0));
}

}  // namespace hs::columns
