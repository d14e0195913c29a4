// SPDX-License-Identifier: GPL-2.0-only
// What src/columns asks of the server about times and whole rows, in MariaDB's words. src/mysql/dialect has
// the same functions in MySQL's.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <sql_time.h>
#include <tztime.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "mariadb/release.h"

namespace hs::columns {

// --- a column ---

inline uint number_of(const Field* field) { return field->field_index; }
inline bool may_be_null(const Field* field) { return field->real_maybe_null(); }
// The server itself has made it, and it has no name for users.
inline bool has_no_name(const Field* field) { return field->invisible >= INVISIBLE_SYSTEM; }
// As SQL compares names of columns.
inline bool is_named(const Field* field, const std::string& name) {
  const LEX_CSTRING& known = field->field_name;
  return system_charset_info->strnncoll(reinterpret_cast<const uchar*>(known.str), known.length,
                                        reinterpret_cast<const uchar*>(name.data()),
                                        name.size()) == 0;
}
// The beginning or the end of a row of a versioned table.
inline bool is_of_versioning(const Field* field) { return field->vers_sys_field(); }
inline bool is_end_of_versions(const Field* field) { return (field->flags & VERS_ROW_END) != 0; }
// What a BLOB has in another row of its TABLE.
inline const uchar* blob_at(Field_blob* field, ptrdiff_t distance) {
  return field->get_ptr(field->ptr + distance);
}
inline size_t place_in_row(const Field* field) {
  return static_cast<size_t>(field->ptr - field->table->record[0]);
}
// It is computed when it is read.
inline bool is_virtual(const Field* field) {
  return field->vcol_info != nullptr && !field->stored_in_db();
}

// The server computes it, and clients do not give it.
inline bool is_computed(const Field* field) {
  return field->vcol_info != nullptr || is_of_versioning(field);
}
// It is there only for those who name it.
inline bool is_hidden(const Field* field) { return field->invisible == INVISIBLE_USER; }

// --- an index ---

inline const char* name_of(const KEY& key) { return key.name.str; }
// Whether the index is an ordered or a hash index over values of its columns.
inline bool is_of_values(const KEY& key) { return mariadb::release::is_of_values(key); }
// Of the current row. Negative, 0 or positive, in the order of the index.
inline int compare_with_key(KEY_PART_INFO* part, const uchar* key, uint length) {
  return key_cmp(part, key, length);
}
// Goes to the first row of a range upwards, and to the next one. Null: from the beginning. The rows of
// partitions are merged by the calls for ranges: with the plain calls the server asks a partition that
// has nothing behind the key for its next row, and some engines then begin with their first row (Aria,
// MyISAM).
inline int first_upwards(TABLE* table, const key_range* start) {
  handler* const file = table->file;
  if (table->part_info != nullptr) return file->read_range_first(start, nullptr, false, true);
  if (start == nullptr) return file->ha_index_first(table->record[0]);
  return file->ha_index_read_map(table->record[0], start->key, start->keypart_map, start->flag);
}
inline int next_upwards(TABLE* table) {
  handler* const file = table->file;
  return table->part_info != nullptr ? file->read_range_next()
                                     : file->ha_index_next(table->record[0]);
}

// --- times ---

using Datetime = MYSQL_TIME;

struct Moment {
  int64_t seconds = 0, microseconds = 0;  // since 1970
  bool operator==(const Moment&) const = default;
};
// Of the statement.
inline Moment time_of(const THD* thd) {
  return {static_cast<int64_t>(thd->start_time), static_cast<int64_t>(thd->start_time_sec_part)};
}
// Behind this one the server's time zones tell nothing.
inline constexpr int64_t kLastTime = TIMESTAMP_MAX_VALUE;

// Of a TIMESTAMP; 0: it is the zero date.
inline Moment read_timestamp(const Field* field) {
  ulong microseconds = 0;
  const my_time_t seconds = field->get_timestamp(&microseconds);
  return {static_cast<int64_t>(seconds), static_cast<int64_t>(microseconds)};
}
// Of a DATETIME. False: it has none.
inline bool read_datetime(Field* field, Datetime* at) {
  return !field->get_date(at, date_mode_t(0));
}
inline void store_timestamp(Field* field, int64_t seconds) {
  field->store_timestamp(static_cast<my_time_t>(seconds), 0);
}
// Numbers that are in the order of the times.
inline longlong packed(const MYSQL_TIME& at) { return pack_time(&at); }
inline int64_t in_gmt(const THD* thd, const MYSQL_TIME& at) {
  uint error = 0;
  return static_cast<int64_t>(thd->variables.time_zone->TIME_to_gmt_sec(&at, &error));
}
// Days are counted as TO_DAYS() does.
inline void set_day(int64_t day, MYSQL_TIME* at) {
  get_date_from_daynr(static_cast<long>(day), &at->year, &at->month, &at->day);
}
inline size_t print_datetime(const MYSQL_TIME& at, char* text) {
  return static_cast<size_t>(my_datetime_to_str(&at, text, 0));
}

}  // namespace hs::columns
