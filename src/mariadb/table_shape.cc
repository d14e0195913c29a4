// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/table_shape.h"
// (before anything else)
#include <string_view>
#include <utility>

#include "columns/kinds.h"
#include "mariadb/definition_news.h"
#include "mariadb/names.h"
#include "mariadb/release.h"
#include "mariadb/session.h"
#include "mariadb/table_description.h"

namespace hs::mariadb {
namespace {

using mapping::ColumnKind;

// False: it has a column that has no name for users.
bool take_index(const TABLE& table, uint number, mapping::IndexShape* index) {
  const KEY& key = table.key_info[number];
  index->name.assign(key.name.str, key.name.length);
  index->is_unique = (key.flags & HA_NOSAME) != 0;
  for (uint i = 0; i < key.user_defined_key_parts; ++i) {
    const KEY_PART_INFO& part = key.key_part[i];
    // The server adds the end of a versioned row to each unique index. The rows that are not history have
    // all the same there.
    if (index->is_unique && part.field->flags & VERS_ROW_END && i > 0 &&
        i + 1 == key.user_defined_key_parts)
      return (table.file->index_flags(number, 0, true) & HA_READ_ORDER) != 0;
    if (part.field->invisible >= INVISIBLE_SYSTEM) return false;
    if ((part.key_part_flag & HA_PART_KEY_SEG) != 0) index->is_whole = false;
    if ((part.key_part_flag & HA_REVERSE_SORT) != 0) index->add_descending(i);
    index->columns.emplace_back(part.field->field_name.str, part.field->field_name.length);
  }
  return true;
}

}  // namespace

uint64_t definition_of(const TABLE_SHARE& share) {
  uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](const void* data, size_t size) {
    for (size_t i = 0; i < size; ++i)
      hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3;
  };
  add(share.tabledef_version.str, share.tabledef_version.length);
  add(share.comment.str, share.comment.length);
  return hash;
}

mapping::TableShape shape_of(const TABLE& table) {
  mapping::TableShape made;
  const TABLE_SHARE& share = *table.s;
  made.comment.assign(share.comment.str, share.comment.length);
  made.definition = definition_of(share);
  for (uint i = 0; i < share.fields; ++i) {
    const Field& field = *table.field[i];
    if (field.invisible >= INVISIBLE_SYSTEM) continue;
    mapping::ColumnShape& column = made.columns.emplace_back();
    column.name.assign(field.field_name.str, field.field_name.length);
    column.kind = columns::kind_of(&field);
    if (column.kind == ColumnKind::kInteger) {
      column.bytes = static_cast<uint8_t>(field.pack_length());
      column.is_unsigned = (field.flags & UNSIGNED_FLAG) != 0;
    }
    column.is_nullable = field.real_maybe_null();
    column.is_computed = field.vcol_info != nullptr || field.vers_sys_field();
    column.is_hidden = field.invisible == INVISIBLE_USER;
    column.has_no_default = (field.flags & NO_DEFAULT_VALUE_FLAG) != 0 && !column.is_computed &&
                            (field.flags & AUTO_INCREMENT_FLAG) == 0;
  }
  for (uint i = 0; i < share.keys; ++i) {
    const KEY& key = table.key_info[i];
    mapping::IndexShape& index = made.indexes.emplace_back();
    const bool is_searchable = release::is_of_values(key) && share.keys_in_use.is_set(i);
    if (!take_index(table, i, &index) || !is_searchable) index.is_whole = false;
  }
  return made;
}

Result<mapping::TableShape> MariaSession::shape(std::string_view database_name,
                                                std::string_view table_name) {
  lock_waits().forget_refused();
  struct End {
    MariaSession& session;
    ~End() { session.take_back_if_repeated(); }
  } const end{*this};
  const std::string database = filed_name(std::string(database_name));
  const std::string table = filed_name(std::string(table_name));
  for (const std::string_view name :
       std::initializer_list<std::string_view>{database_name, table_name, database, table})
    if (!is_valid_name(name)) return ErrorCode::kOpenTable;
  // What MariaCursor::open() refuses. 11.8 has a category for them, and 10.11 has not.
  if (database == "mysql") return ErrorCode::kOpenTable;
  if (auto begun = begin_describe(); !begun) return std::move(begun.error());
  const OwnArena arena(thd_);
  HeldDefinition definition(thd_);
  Result<void> held = hold(definition, database, table, GTS_TABLE);
  if (!held) return is_of_table(held.error()) ? Error{ErrorCode::kOpenTable, 0, {}} : held.error();
  if (definition.share().table_category != TABLE_CATEGORY_USER) return ErrorCode::kOpenTable;
  const TABLE* const made = definition.make_table(true);
  if (made == nullptr) {
    const Error error = take_error(0);
    return is_of_table(error) ? Error{ErrorCode::kOpenTable, 0, {}} : error;
  }
  mapping::TableShape shape = shape_of(*made);
  shape.database = database;
  shape.table = table;
  thd_->clear_error();
  return shape;
}

bool MariaSession::sees(std::string_view database, std::string_view table) {
  if (account_ == nullptr) return true;
  const std::string filed_database = filed_name(std::string(database));
  const std::string filed_table = filed_name(std::string(table));
  if (!is_valid_name(filed_database) || !is_valid_name(filed_table)) return false;
  return privileges().sees(account_->principal(), filed_database.c_str(), filed_table.c_str());
}

void MariaSession::look_for_news(bool thorough, mapping::TableNews& news) {
  struct DiskWait {
    ServerSession& server;
    ~DiskWait() { server.on_wait_end(); }
  } const wait{server_};
  server_.on_wait_begin(THD_WAIT_DISKIO);
  definition_news().look(thorough, news);
}

}  // namespace hs::mariadb
