// SPDX-License-Identifier: GPL-2.0-only
// Column values as text: what SELECT would print, in utf8mb4; binary columns as their bytes.
#pragma once

#include "server_dialect.h"
// (before anything else)
#include "base/value.h"

namespace hs::columns {

// The character set of a value that is sent for `field`: that of the wire. Where the wire has none,
// and for binary columns, the bytes are those of the column.
inline Charset* value_charset(const Field* field) {
  Charset* const column = field->charset();
  Charset* const wire = charset_of_the_wire();
  return column == &my_charset_bin || wire == &my_charset_bin ? column : wire;
}

// Stores a value only to compare with it. False: the column cannot hold it unchanged.
inline bool stores_exactly(Field* field, const Value& value) {
  return stores_whole(field, value.data, value.size, value_charset(field));
}

// Reads one column of the current row, in a way that is chosen once when the index is opened.
class FieldText {
 public:
  explicit FieldText(Field* field);

  // The value; valid until the next call, or until the row changes. False: out of memory.
  bool read(Value* value);

 private:
  using Reader = bool (FieldText::*)(Value*);

  Reader reader_of(const Field* field) const;
  bool read_number(Value* value);
  bool read_varchar(Value* value);
  bool read_datetime(Value* value);
  bool read_string(Value* value);

  Field* field_;
  bool needs_conversion_;
  Reader reader_;
  char digits_[24];
  String text_;
  String converted_;
};

}  // namespace hs::columns
