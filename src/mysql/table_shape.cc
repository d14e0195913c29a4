// SPDX-License-Identifier: GPL-2.0-only
#include "mysql/table_shape.h"

#include <string_view>
#include <utility>

#include "columns/kinds.h"
#include "mysql/definition_news.h"
#include "mysql/engine.h"
#include "mysql/names.h"
#include "mysql/session.h"

namespace hs::mysql {
namespace {

using mapping::ColumnKind;

bool has_no_default(const Field& field) {
  return field.is_flag_set(NO_DEFAULT_VALUE_FLAG) && !field.is_gcol() &&
         !field.is_flag_set(AUTO_INCREMENT_FLAG);
}

bool is_of_values(const KEY& key) {
  return (key.flags & (HA_FULLTEXT | HA_SPATIAL | HA_MULTI_VALUED_KEY)) == 0;
}

// False: it has a column that has no name for users.
bool take_index(const TABLE& table, const KEY& key, mapping::IndexShape* index) {
  index->name = key.name;
  index->is_unique = (key.flags & HA_NOSAME) != 0;
  for (uint i = 0; i < key.user_defined_key_parts; ++i) {
    const KEY_PART_INFO& part = key.key_part[i];
    const Field* const field = table.field[part.fieldnr - 1];
    if (field->is_hidden_by_system()) return false;
    if ((part.key_part_flag & HA_PART_KEY_SEG) != 0) index->is_whole = false;
    if ((part.key_part_flag & HA_REVERSE_SORT) != 0) index->add_descending(i);
    index->columns.emplace_back(field->field_name);
  }
  return true;
}

bool has_shape(const TABLE_SHARE& share) {
  return share.tmp_table == NO_TMP_TABLE && share.table_category == TABLE_CATEGORY_USER;
}

class Hash {
 public:
  void add(const void* data, size_t size) {
    for (size_t i = 0; i < size; ++i)
      value_ = (value_ ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3;
  }
  void add(std::string_view text) {
    add(text.data(), text.size());
    add(text.size());
  }
  void add(uint64_t number) { add(&number, sizeof number); }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace

uint64_t definition_of(const TABLE& table) {
  const TABLE_SHARE& share = *table.s;
  Hash hash;
  hash.add({share.comment.str, share.comment.length});
  for (uint i = 0; i < share.fields; ++i) {
    const Field& field = *table.field[i];
    hash.add(std::string_view(field.field_name));
    hash.add(static_cast<uint64_t>(columns::kind_of(&field)));
    hash.add(field.pack_length() * 64 + (field.is_unsigned() ? 32U : 0U) +
             (field.is_nullable() ? 16U : 0U) + (field.is_gcol() ? 8U : 0U) +
             (field.is_hidden_by_user() ? 4U : 0U) + (field.is_hidden_by_system() ? 2U : 0U) +
             (has_no_default(field) ? 1U : 0U));
  }
  for (uint i = 0; i < share.keys; ++i) {
    const KEY& key = table.key_info[i];
    hash.add(std::string_view(key.name));
    hash.add((key.flags & HA_NOSAME) * 4 + (is_of_values(key) ? 2U : 0U) +
             (share.keys_in_use.is_set(i) ? 1U : 0U));
    for (uint part = 0; part < key.user_defined_key_parts; ++part)
      hash.add(uint64_t{key.key_part[part].fieldnr} * 0x10000 +
               (key.key_part[part].key_part_flag & (HA_PART_KEY_SEG | HA_REVERSE_SORT)));
  }
  return hash.value();
}

mapping::TableShape shape_of(const TABLE& table) {
  mapping::TableShape made;
  const TABLE_SHARE& share = *table.s;
  made.comment.assign(share.comment.str, share.comment.length);
  made.definition = definition_of(table);
  for (uint i = 0; i < share.fields; ++i) {
    const Field& field = *table.field[i];
    if (field.is_hidden_by_system()) continue;
    mapping::ColumnShape& column = made.columns.emplace_back();
    column.name = field.field_name;
    column.kind = columns::kind_of(&field);
    if (column.kind == ColumnKind::kInteger) {
      column.bytes = static_cast<uint8_t>(field.pack_length());
      column.is_unsigned = field.is_unsigned();
    }
    column.is_nullable = field.is_nullable();
    column.is_computed = field.is_gcol();
    column.is_hidden = field.is_hidden_by_user();
    column.has_no_default = has_no_default(field);
  }
  for (uint i = 0; i < share.keys; ++i) {
    const KEY& key = table.key_info[i];
    mapping::IndexShape& index = made.indexes.emplace_back();
    const bool is_searchable = is_of_values(key) && share.keys_in_use.is_set(i);
    if (!take_index(table, key, &index) || !is_searchable) index.is_whole = false;
  }
  return made;
}

Result<mapping::TableShape> MysqlSession::shape(std::string_view database_name,
                                                std::string_view table_name) {
  lock_waits().forget_refused();
  struct End {
    MysqlSession& session;
    ~End() { session.take_back_if_repeated(); }
  } const end{*this};
  const std::string database = filed_name(std::string(database_name));
  const std::string table = filed_name(std::string(table_name));
  for (const std::string_view name :
       std::initializer_list<std::string_view>{database_name, table_name, database, table})
    if (!is_valid_name(name)) return ErrorCode::kOpenTable;
  // What MysqlCursor::open() refuses.
  if (database == "mysql") return ErrorCode::kOpenTable;
  if (auto begun = begin_describe(); !begun) return std::move(begun.error());
  Result<mapping::TableShape> shape = open_for_shape(database, table);
  thd_->clear_error();
  server_.end_statement();
  return shape;
}

// In a statement. What was opened is closed.
Result<mapping::TableShape> MysqlSession::open_for_shape(const std::string& database,
                                                         const std::string& table) {
  const TableWait wait(server_);
  const TABLE* const opened_before = thd_->open_tables;
  const MDL_savepoint locked_before = thd_->mdl_context.mdl_savepoint();
  for (bool is_first = true;; is_first = false) {
    Table_ref list(database.data(), database.size(), table.data(), table.size(), table.data(),
                   TL_READ);
    Open_table_context opening(thd_, MYSQL_OPEN_FORCE_SHARED_HIGH_PRIO_MDL);
    const bool is_open = !open_table(thd_, &list, &opening) && list.table != nullptr;
    Result<mapping::TableShape> shape(ErrorCode::kOpenTable);
    if (is_open && has_shape(*list.table->s)) shape = shape_of(*list.table);
    while (thd_->open_tables != opened_before) close_thread_table(thd_, &thd_->open_tables);
    thd_->mdl_context.rollback_to_savepoint(locked_before);
    if (shape) {
      shape->database = database;
      shape->table = table;
      return shape;
    }
    if (is_open) return shape;
    // One that crashed is repaired.
    const bool may_recover =
        opening.can_recover_from_failed_open() && is_first && opened_before == nullptr;
    if (may_recover && !opening.recover_from_failed_open()) continue;
    const Error error = take_lock_error();
    return error.code == ErrorCode::kSql || error.code == ErrorCode::kEngine
               ? Error{ErrorCode::kOpenTable, 0, {}}
               : error;
  }
}

bool MysqlSession::sees(std::string_view database, std::string_view table) {
  if (account_ == nullptr) return true;
  const std::string filed_database = filed_name(std::string(database));
  const std::string filed_table = filed_name(std::string(table));
  if (!is_valid_name(filed_database) || !is_valid_name(filed_table)) return false;
  return privileges().sees(account_->principal(), filed_database, filed_table);
}

void MysqlSession::look_for_news(bool, mapping::TableNews& news) {
  if (!definition_news().is_any() || !begin_describe()) return;
  ulong& wait_s = thd_->variables.lock_wait_timeout;
  const ulong usual_s = std::exchange(wait_s, 0);
  (void)definition_news().look(thd_, news);  // what has failed is looked at again
  wait_s = usual_s;
  thd_->clear_error();
  server_.end_statement();
}

}  // namespace hs::mysql
