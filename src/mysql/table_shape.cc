// SPDX-License-Identifier: GPL-2.0-only
#include "mysql/table_shape.h"

#include <string_view>
#include <utility>

#include "columns/kinds.h"
#include "columns/shape.h"
#include "mysql/definition_news.h"
#include "mysql/engine.h"
#include "mysql/names.h"
#include "mysql/session.h"

namespace hs::mysql {
namespace {

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
    hash.add(static_cast<uint64_t>(columns::kind_of(&field)) * 4 +
             (columns::is_rounded(&field) ? 2U : 0U) + (columns::has_fraction(&field) ? 1U : 0U));
    hash.add(field.pack_length() * 64 + (field.is_unsigned() ? 32U : 0U) +
             (field.is_nullable() ? 16U : 0U) + (field.is_gcol() ? 8U : 0U) +
             (field.is_hidden_by_user() ? 4U : 0U) + (field.is_hidden_by_system() ? 2U : 0U) +
             (columns::has_no_default(&field) ? 1U : 0U));
  }
  for (uint i = 0; i < share.keys; ++i) {
    const KEY& key = table.key_info[i];
    hash.add(std::string_view(key.name));
    hash.add((key.flags & HA_NOSAME) * 4 + (columns::is_of_values(key) ? 2U : 0U) +
             (share.keys_in_use.is_set(i) ? 1U : 0U));
    for (uint part = 0; part < key.user_defined_key_parts; ++part)
      hash.add(uint64_t{key.key_part[part].fieldnr} * 0x10000 +
               (key.key_part[part].key_part_flag & (HA_PART_KEY_SEG | HA_REVERSE_SORT)));
  }
  return hash.value();
}

// In a statement, which ends here.
Result<mapping::TableShape> MysqlSession::read_shape(const std::string& database,
                                                     const std::string& table) {
  Result<mapping::TableShape> shape = open_for_shape(database, table);
  server_.end_statement();
  return shape;
}

// What was opened is closed.
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
    if (is_open && has_shape(*list.table->s))
      shape = columns::shape_of(*list.table, definition_of(*list.table));
    while (thd_->open_tables != opened_before) close_thread_table(thd_, &thd_->open_tables);
    thd_->mdl_context.rollback_to_savepoint(locked_before);
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
