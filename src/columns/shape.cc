// SPDX-License-Identifier: GPL-2.0-only
#include "columns/shape.h"

#include "columns/kinds.h"

namespace hs::columns {
namespace {

// False: it has a column that has no name for users.
bool take_index(const TABLE& table, uint number, mapping::IndexShape* index) {
  const KEY& key = table.key_info[number];
  index->name = name_of(key);
  index->is_unique = (key.flags & HA_NOSAME) != 0;
  for (uint i = 0; i < key.user_defined_key_parts; ++i) {
    const KEY_PART_INFO& part = key.key_part[i];
    const Field* const field = table.field[part.fieldnr - 1];
    // The server adds the end of a versioned row to each unique index. The rows that are not history have
    // all the same there.
    if (index->is_unique && is_end_of_versions(field) && i > 0 &&
        i + 1 == key.user_defined_key_parts)
      return (table.file->index_flags(number, 0, true) & HA_READ_ORDER) != 0;
    if (has_no_name(field)) return false;
    if ((part.key_part_flag & HA_PART_KEY_SEG) != 0) index->is_whole = false;
    if ((part.key_part_flag & HA_REVERSE_SORT) != 0) index->add_descending(i);
    index->columns.emplace_back(name_of(field));
  }
  return true;
}

mapping::ColumnShape shape_of(const Field* field) {
  mapping::ColumnShape column;
  column.name = name_of(field);
  column.kind = kind_of(field);
  if (column.kind == mapping::ColumnKind::kInteger) {
    column.bytes = static_cast<uint8_t>(field->pack_length());
    column.is_unsigned = is_unsigned(field);
  }
  column.is_nullable = may_be_null(field);
  column.is_rounded = is_rounded(field);
  column.has_fraction = has_fraction(field);
  column.is_computed = is_computed(field);
  column.is_hidden = is_hidden(field);
  column.has_no_default = has_no_default(field);
  return column;
}

}  // namespace

bool has_no_default(const Field* field) {
  return has_flag(field, NO_DEFAULT_VALUE_FLAG) && !is_computed(field) &&
         !has_flag(field, AUTO_INCREMENT_FLAG);
}

mapping::TableShape shape_of(const TABLE& table, uint64_t definition) {
  mapping::TableShape made;
  const TABLE_SHARE& share = *table.s;
  made.comment.assign(share.comment.str, share.comment.length);
  made.definition = definition;
  for (uint i = 0; i < share.fields; ++i)
    if (!has_no_name(table.field[i])) made.columns.push_back(shape_of(table.field[i]));
  for (uint i = 0; i < share.keys; ++i) {
    mapping::IndexShape& index = made.indexes.emplace_back();
    const bool is_searchable = is_of_values(table.key_info[i]) && share.keys_in_use.is_set(i);
    if (!take_index(table, i, &index) || !is_searchable) index.is_whole = false;
  }
  return made;
}

}  // namespace hs::columns
