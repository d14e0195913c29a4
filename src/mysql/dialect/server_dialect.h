// SPDX-License-Identifier: GPL-2.0-only
// What src/columns asks of a server's headers, in MySQL's words. src/mariadb/dialect has the same
// functions in MariaDB's.
#pragma once

#include "mysql/server_headers.h"
// (before anything else)
#include <cstddef>

#include "adapter/variables.h"

namespace hs::columns {

using Charset = const CHARSET_INFO;

inline Charset* charset_of_the_wire() {
  return adapter::values_are_bytes() ? &my_charset_bin : &my_charset_utf8mb4_bin;
}

// --- a column ---

inline const char* name_of(const Field* field) { return field->field_name; }
inline bool has_flag(const Field* field, unsigned flag) { return field->is_flag_set(flag); }
inline bool is_unsigned(const Field* field) { return field->is_unsigned(); }
inline uchar* bytes_of(Field* field) { return field->field_ptr(); }
inline const uchar* bytes_of(const Field* field) { return field->field_ptr(); }
// How many bytes of a VARCHAR's length stand before its own.
inline uint length_bytes_of(const Field* field) { return field->get_length_bytes(); }
inline bool holds_ascii_only(const Field* field) {
  return field->repertoire() == MY_REPERTOIRE_ASCII;
}
// Of an integer: whether it is printed as its digits alone. ZEROFILL prints zeros in front.
inline bool prints_digits_alone(const Field* field) { return !has_flag(field, ZEROFILL_FLAG); }
// CHAR, VARCHAR, BINARY, VARBINARY.
inline bool is_text(const Field* field) {
  const enum_field_types type = field->real_type();
  return type == MYSQL_TYPE_STRING || type == MYSQL_TYPE_VARCHAR;
}
// Whether the row has the bytes of a VARCHAR as they are.
inline bool is_plain_varchar(const Field* field) {
  return field->real_type() == MYSQL_TYPE_VARCHAR;
}
// A DATETIME as my_time.cc keeps it.
inline bool is_datetime(const Field* field) { return field->real_type() == MYSQL_TYPE_DATETIME2; }
// DATE, DATETIME, TIMESTAMP, TIME.
inline bool is_time(const Field* field) {
  switch (field->type()) {
    case MYSQL_TYPE_DATE:
    case MYSQL_TYPE_DATETIME:
    case MYSQL_TYPE_TIME:
    case MYSQL_TYPE_TIMESTAMP:
      return true;
    default:
      return false;
  }
}
// TEXT and BLOB. Not JSON and geometry, which are kept as such.
inline bool compares_as_blob(const Field* field) {
  return has_flag(field, BLOB_FLAG) && field->type() == MYSQL_TYPE_BLOB;
}

// --- storing into it ---

// While it lives, a field judges a value without a trace: what a store would warn of is only
// returned.
class WarningsAside final : public Internal_error_handler {
 public:
  explicit WarningsAside(const Field* field)
      : thd_(field->table->in_use), check_(thd_->check_for_truncated_fields) {
    // Fields look at all of a value only when they are to warn.
    thd_->check_for_truncated_fields = CHECK_FIELD_WARN;
    thd_->push_internal_handler(this);
  }
  ~WarningsAside() override {
    thd_->pop_internal_handler();
    thd_->check_for_truncated_fields = check_;
  }
  WarningsAside(const WarningsAside&) = delete;
  WarningsAside& operator=(const WarningsAside&) = delete;

  bool handle_condition(THD*, uint, const char*, Sql_condition::enum_severity_level*,
                        const char*) override {
    return true;
  }

 private:
  THD* const thd_;
  const enum_check_fields check_;
};

// Raises nothing in this field's stores that follow, whatever sql_mode says.
inline void store_quietly(const Field* field) {
  field->table->in_use->check_for_truncated_fields = CHECK_FIELD_IGNORE;
}

// Whether the column can hold the value as it is; the field holds it, or the nearest one. Cut spaces
// of a text do not count, as in a comparison.
inline bool stores_whole(Field* field, const char* data, size_t size, Charset* charset) {
  const WarningsAside aside(field);
  const type_conversion_status status = field->store(data, size, charset);
  return status == TYPE_OK || (status == TYPE_NOTE_TRUNCATED && is_text(field));
}
// Whether the column takes the number, though perhaps rounded.
inline bool takes_decimal(Field* field, const my_decimal* number) {
  const WarningsAside aside(field);
  return field->store_decimal(number) <= TYPE_NOTE_TRUNCATED;
}

// --- numbers ---

// The number that the text begins with; *end: where it ends, at first the end of the text. Returns
// the bits E_DEC_….
inline int read_decimal(const char* text, size_t, my_decimal* number, const char** end) {
  return str2my_decimal(E_DEC_OK, text, number, end);
}
inline double read_double(Charset* charset, const char* text, size_t size, const char** end) {
  int error = 0;
  return my_strntod(charset, text, size, end, &error);
}

// --- texts in a character set ---

inline bool is_well_formed(Charset* charset, const char* text, size_t size) {
  int error = 0;
  const size_t length = charset->cset->well_formed_len(charset, text, text + size, size, &error);
  return error == 0 && length == size;
}
// Negative, 0 or positive, as SQL compares two texts: spaces at the end do not count where the
// collation says so.
inline int compare_texts(Charset* charset, const char* a, size_t a_size, const char* b,
                         size_t b_size) {
  return charset->coll->strnncollsp(charset, reinterpret_cast<const uchar*>(a), a_size,
                                    reinterpret_cast<const uchar*>(b), b_size);
}
// In bytes, without spaces at the end.
inline size_t length_without_spaces(Charset* charset, const char* text, size_t size) {
  return charset->cset->lengthsp(charset, text, size);
}
inline size_t count_of_characters(Charset* charset, const char* text, size_t size) {
  return charset->cset->numchars(charset, text, text + size);
}
// Whether characters may weigh nothing, or as much as several.
inline bool weighs_in_many_ways(Charset* charset) {
  return (charset->state & (MY_CS_BINSORT | MY_CS_PUREASCII)) == 0;
}

}  // namespace hs::columns
