// SPDX-License-Identifier: GPL-2.0-only
// What src/columns asks of a server's headers, in MariaDB's words. src/mysql/dialect has the same
// functions in MySQL's.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <cstddef>
#include <cstring>

#include "adapter/variables.h"

namespace hs::columns {

using Charset = CHARSET_INFO;

inline Charset* charset_of_the_wire() {
  return adapter::values_are_bytes() ? &my_charset_bin : &my_charset_utf8mb4_bin;
}

// --- a column ---

inline const char* name_of(const Field* field) { return field->field_name.str; }
inline bool has_flag(const Field* field, uint flag) { return (field->flags & flag) != 0; }
inline bool is_unsigned(const Field* field) { return has_flag(field, UNSIGNED_FLAG); }
inline uchar* bytes_of(const Field* field) { return field->ptr; }
// How many bytes of a VARCHAR's length stand before its own.
inline uint length_bytes_of(const Field* field) {
  return static_cast<const Field_varstring*>(field)->length_bytes;
}
inline bool holds_ascii_only(const Field* field) {
  return field->dtcollation().repertoire == MY_REPERTOIRE_ASCII;
}
// Of an integer: whether it is printed as its digits alone. ZEROFILL prints zeros in front, and
// transaction ids of versioned tables have a form of their own.
inline bool prints_digits_alone(const Field* field) {
  return !has_flag(field, ZEROFILL_FLAG | VERS_SYSTEM_FIELD);
}
// CHAR, VARCHAR, BINARY, VARBINARY. Not UUID and INET6, which have string types but compare as what
// they are.
inline bool is_text(const Field* field) {
  const Type_handler* type = field->type_handler();
  return type == &type_handler_string || type == &type_handler_varchar ||
         type == &type_handler_varchar_compressed;
}
// Whether the row has the bytes of a VARCHAR as they are. A compressed column has that type, too.
inline bool is_plain_varchar(const Field* field) {
  return field->type_handler() == &type_handler_varchar && field->compression_method() == nullptr;
}
// A DATETIME as compat56.cc keeps it.
inline bool is_datetime(const Field* field) {
  return field->type_handler() == &type_handler_datetime2;
}
// DATE, DATETIME, TIMESTAMP, TIME.
inline bool is_time(const Field* field) { return field->cmp_type() == TIME_RESULT; }
// TEXT and BLOB, and others that are kept and compared as such.
inline bool compares_as_blob(const Field* field) {
  return has_flag(field, BLOB_FLAG) && field->type() != MYSQL_TYPE_GEOMETRY;
}

// --- storing into it ---

// While it lives, a field judges a value without a trace: what a store would warn of is only
// returned.
class WarningsAside {
 public:
  explicit WarningsAside(const Field* field) {
    THD* const thd = field->get_thd();
    thd->count_cuted_fields = CHECK_FIELD_IGNORE;
    thd->abort_on_warning = false;
  }
  WarningsAside(const WarningsAside&) = delete;
  WarningsAside& operator=(const WarningsAside&) = delete;
};

// Raises nothing in this field's stores that follow, whatever sql_mode says.
inline void store_quietly(const Field* field) { const WarningsAside aside(field); }

// Whether the column can hold the value as it is; the field holds it, or the nearest one. Cut spaces
// of a text do not count, as in a comparison.
inline bool stores_whole(Field* field, const char* data, size_t size, Charset* charset) {
  THD* const thd = field->get_thd();
  thd->count_cuted_fields = CHECK_FIELD_WARN;
  thd->abort_on_warning = false;
  thd->cuted_fields = 0;
  if (field->store(data, size, charset) != 0) return false;
  // Some types only give a warning (SET of an unknown member, FLOAT(7,2) out of range). A text type
  // also warns of cut spaces.
  return thd->cuted_fields == 0 || is_text(field) || has_flag(field, BLOB_FLAG);
}
// Whether the column takes the number, though perhaps rounded.
inline bool takes_decimal(Field* field, const my_decimal* number) {
  return field->store_decimal(number) == 0;
}

// --- numbers ---

// The number that the text begins with; *end: where it ends. Returns the bits E_DEC_….
inline int read_decimal(const char* text, size_t size, my_decimal* number, const char** end) {
  return str2my_decimal(E_DEC_OK, text, size, &my_charset_latin1, number, end);
}
inline double read_double(Charset* charset, const char* text, size_t size, const char** end) {
  int error = 0;
  char* stop = nullptr;
  const double number = charset->strntod(const_cast<char*>(text), size, &stop, &error);
  *end = stop;
  return number;
}

// --- texts in a character set ---

inline bool is_well_formed(Charset* charset, const char* text, size_t size) {
  return Well_formed_prefix(charset, text, size).length() == size;
}
// Negative, 0 or positive, as SQL compares two texts: spaces at the end do not count where the
// collation says so.
inline int compare_texts(Charset* charset, const char* a, size_t a_size, const char* b,
                         size_t b_size) {
  return charset->strnncollsp(a, a_size, b, b_size);
}
// In bytes, without spaces at the end.
inline size_t length_without_spaces(Charset* charset, const char* text, size_t size) {
  return charset->lengthsp(text, size);
}
inline size_t count_of_characters(Charset* charset, const char* text, size_t size) {
  return charset->numchars(text, text + size);
}
// Whether characters may weigh nothing, or as much as several.
inline bool weighs_in_many_ways(Charset* charset) { return (charset->state & MY_CS_NON1TO1) != 0; }

}  // namespace hs::columns
