// SPDX-License-Identifier: GPL-2.0-only
#include "columns/kinds.h"

namespace hs::columns {

bool is_integer(const Field* field) {
  switch (field->type()) {
    case MYSQL_TYPE_TINY:
    case MYSQL_TYPE_SHORT:
    case MYSQL_TYPE_INT24:
    case MYSQL_TYPE_LONG:
    case MYSQL_TYPE_LONGLONG:
      return true;
    default:
      return false;
  }
}

mapping::ColumnKind kind_of(const Field* field) {
  using Kind = mapping::ColumnKind;
  if (is_integer(field)) return Kind::kInteger;
  switch (field->real_type()) {
    case MYSQL_TYPE_NEWDECIMAL:
      return Kind::kDecimal;
    case MYSQL_TYPE_FLOAT:
    case MYSQL_TYPE_DOUBLE:
      return Kind::kReal;
    case MYSQL_TYPE_TIMESTAMP:
    case MYSQL_TYPE_TIMESTAMP2:
    case MYSQL_TYPE_DATETIME:
    case MYSQL_TYPE_DATETIME2:
      return Kind::kMoment;
    case MYSQL_TYPE_STRING:
    case MYSQL_TYPE_VARCHAR:
    case MYSQL_TYPE_BLOB:
      if (field->has_charset()) return Kind::kText;
      return field->charset() == &my_charset_bin ? Kind::kBinary : Kind::kOther;
    default:
      return Kind::kOther;
  }
}

bool is_rounded(const Field* field) {
  return field->real_type() == MYSQL_TYPE_FLOAT && static_cast<const Field_real*>(field)->not_fixed;
}

bool has_fraction(const Field* field) {
  const mapping::ColumnKind kind = kind_of(field);
  if (kind == mapping::ColumnKind::kReal && static_cast<const Field_real*>(field)->not_fixed)
    return false;
  return (kind == mapping::ColumnKind::kDecimal || kind == mapping::ColumnKind::kReal) &&
         field->decimals() != 0;
}

engine::Cursor::Counting counting_on(const Field* field) {
  using Counting = engine::Cursor::Counting;
  switch (field->real_type()) {
    case MYSQL_TYPE_TINY:
    case MYSQL_TYPE_SHORT:
    case MYSQL_TYPE_INT24:
    case MYSQL_TYPE_LONG:
    case MYSQL_TYPE_LONGLONG:
    case MYSQL_TYPE_YEAR:
    case MYSQL_TYPE_NEWDECIMAL:
      return Counting::kExact;
    case MYSQL_TYPE_FLOAT:
    case MYSQL_TYPE_DOUBLE:
      return Counting::kReal;
    default:
      return is_text(field) || compares_as_blob(field) ? Counting::kExact : Counting::kNot;
  }
}

}  // namespace hs::columns
