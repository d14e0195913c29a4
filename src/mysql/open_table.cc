// SPDX-License-Identifier: GPL-2.0-only
// Opening a table for a cursor: which tables are served, and what the names of a spec mean in one.
#include <algorithm>
#include <array>
#include <string_view>

#include "adapter/number_text.h"
#include "columns/kinds.h"
#include "mysql/cursor.h"
#include "mysql/names.h"
#include "mysql/session.h"
#include "mysql/table_shape.h"
#include "sql/item_func.h"

namespace hs::mysql {
namespace {

// Engines whose tables are read and written without a statement of SQL.
bool is_served(const handler* file) {
  constexpr auto kServed = std::to_array<std::string_view>({"InnoDB", "MyISAM", "MEMORY"});
  const char* const name = ha_resolve_storage_engine_name(file->ht);
  return std::ranges::find(kServed, std::string_view(name)) != kServed.end();
}

bool is_of_client(Item* item) {
  if (item->type() != Item::FUNC_ITEM) return false;
  const std::string_view name = static_cast<Item_func*>(item)->func_name();
  return std::ranges::any_of(
      std::to_array<std::string_view>({"user", "current_user", "session_user", "system_user",
                                       "current_role", "database", "schema", "connection_id",
                                       "roles_graphml", "get_user_var", "get_system_var"}),
      [&](std::string_view known) { return name == known; });
}

// Whether a DEFAULT of the table depends on who asks.
bool has_default_of_client(const TABLE* table) {
  return std::any_of(table->field, table->field + table->s->fields, [](const Field* field) {
    return field->m_default_val_expr != nullptr &&
           WalkItem(field->m_default_val_expr->expr_item, enum_walk::PREFIX, is_of_client);
  });
}

}  // namespace

MysqlCursor::MysqlCursor(MysqlSession& session, engine::IndexSpecPtr spec)
    : session_(session),
      spec_(std::move(spec)),
      database_(filed_name(spec_->database)),
      table_name_(filed_name(spec_->table)),
      subject_(database_, table_name_),
      rights_(session_.rights_room()) {}

MysqlCursor::~MysqlCursor() { session_.process_entry().forget(subject_); }

Result<void> MysqlCursor::open() {
  may_open_again_ = false;
  // Both the name as sent and the name as filed: some letters change there, and a NUL would end it.
  for (const std::string_view name : std::initializer_list<std::string_view>{
           spec_->database, spec_->table, database_, table_name_})
    if (!is_valid_name(name)) return ErrorCode::kOpenTable;
  // The system tables hold accounts and privileges.
  if (database_ == "mysql") return ErrorCode::kOpenTable;

  THD* const thd = session_.thd();
  init_list(session_.mode() == engine::Mode::kReadOnly ? TL_READ : TL_WRITE);
  opening_.emplace(thd, 0);
  if (open_table(thd, &*list_, &*opening_) || list_->table == nullptr) {
    may_open_again_ = opening_->can_recover_from_failed_open();
    return open_failed();
  }
  table_ = list_->table;
  table_->reginfo.lock_type = list_->lock_descriptor().type;
  if (auto checked = check_table(); !checked) return checked;
  if (auto taken = take_expiry(); !taken) return taken;
  if (auto resolved = resolve(); !resolved) return resolved;
  bind(table_);
  set_read_columns();
  definition_ = definition_of(*table_);
  locks_.assign(1, list_->mdl_request.ticket);
  is_open_ = true;
  return {};
}

void MysqlCursor::init_list(thr_lock_type lock) {
  list_.emplace(database_.data(), database_.size(), table_name_.data(), table_name_.size(),
                table_name_.data(), lock);
}

// Clients get one text for all reasons why a table cannot be opened; they are left to the server.
Error MysqlCursor::open_failed() {
  Error error = session_.take_lock_error();
  if (may_open_again_) return Error{ErrorCode::kLockTables, 0, {}};
  if (error.code != ErrorCode::kSql && error.code != ErrorCode::kEngine) return error;
  if (error.code == ErrorCode::kSql && error.number == ER_QUERY_TIMEOUT) return error;
  return Error{ErrorCode::kOpenTable, 0, {}};
}

void MysqlCursor::recover_failed_open() {
  if (opening_->recover_from_failed_open()) (void)session_.take_error(0);
}

void MysqlCursor::forget_table() {
  unbind();
  expiry_ = {};
  locks_.clear();
  rights_.forget();
  is_open_ = false;
}

void MysqlCursor::unbind() {
  table_ = nullptr;
  expiry_.bind(nullptr);
  columns_.clear();
  filter_columns_.clear();
  filters_.clear();
  search_.bind(nullptr);
}

bool MysqlCursor::is_seen_by(Principal& principal) const {
  // The server looks up names of accounts' tables by their bytes.
  if (!is_valid_name(database_) || !is_valid_name(table_name_)) return false;
  return session_.privileges().sees(principal, database_, table_name_);
}

// By names: the write port has the table only while a statement lasts.
const engine::Rights& MysqlCursor::ask_for_rights(Principal& principal, int64_t now_ms) {
  const TableNames names{database_, table_name_, spec_->columns, spec_->filter_columns, key_names_};
  return rights_.keep(principal.id, now_ms, session_.privileges().rights(principal, names));
}

Result<void> MysqlCursor::check_table() const {
  const TABLE_SHARE* const share = table_->s;
  if (share->table_category != TABLE_CATEGORY_USER || share->tmp_table != NO_TMP_TABLE)
    return ErrorCode::kOpenTable;
  if (!is_served(table_->file)) return ErrorCode::kUnsupportedTable;
  return {};
}

Result<void> MysqlCursor::resolve() {
  auto index = find_index();
  if (!index) return index.error();
  if (auto opened = search_.open(table_, *index); !opened) return opened;
  const KEY& key = table_->key_info[*index];
  key_names_.clear();
  for (size_t part = 0; part < search_.parts(); ++part)
    key_names_.emplace_back(key.key_part[part].field->field_name);
  if (auto found = find_columns(spec_->columns, column_numbers_); !found) return found;
  if (auto found = find_columns(spec_->filter_columns, filter_numbers_); !found) return found;
  countings_.clear();
  for (const uint number : column_numbers_)
    countings_.push_back(columns::counting_on(table_->field[number]));
  row_.resize(column_numbers_.size());
  unique_key_.resize(table_->s->max_unique_length + MAX_KEY_LENGTH);
  can_undo_ = table_->file->has_transactions();
  undoes_rows_ = changes_rows_at_one_go();
  names_client_ = session_.mode() == engine::Mode::kReadWrite && has_default_of_client(table_);
  return {};
}

// The columns of the cursor in this TABLE.
void MysqlCursor::bind(TABLE* table) {
  table_ = table;
  search_.bind(table);
  expiry_.bind(table);
  reads_key_columns_ = false;
  columns_.clear();
  filter_columns_.clear();
  texts_.clear();
  for (const uint number : column_numbers_) {
    columns_.push_back(table_->field[number]);
    texts_.emplace_back(table_->field[number]);
  }
  for (const uint number : filter_numbers_) filter_columns_.push_back(table_->field[number]);
}

// InnoDB undoes a row that it cannot change completely. That is not enough where the server makes
// several calls for one row (partitions), or where the change reaches other tables (foreign keys,
// triggers).
bool MysqlCursor::changes_rows_at_one_go() const {
  const TABLE_SHARE* const share = table_->s;
  const bool has_fulltext =
      std::any_of(table_->key_info, table_->key_info + share->keys,
                  [](const KEY& key) { return (key.flags & HA_FULLTEXT) != 0; });
  return table_->file->ht->db_type == DB_TYPE_INNODB && table_->part_info == nullptr &&
         !has_fulltext && share->foreign_keys == 0 && share->foreign_key_parents == 0 &&
         table_->triggers == nullptr;
}

// Finds the index by its name, case-sensitively as the protocol says. An empty name is PRIMARY.
// Digits that are no index's name are its number. Only ordered and hash indexes over values of columns
// can be searched: not those of words and places, nor those of expressions and of the elements of an
// array.
Result<uint> MysqlCursor::find_index() const {
  const std::string& name = spec_->index;
  const uint count = table_->s->keys;
  uint found = count;
  const std::string_view wanted = name.empty() ? std::string_view("PRIMARY") : name;
  for (uint i = 0; i < count; ++i)
    if (wanted == table_->key_info[i].name) found = i;
  if (found == count) {
    const auto number = adapter::whole_number<uint>(wanted);
    if (number && *number < count) found = *number;
  }
  if (found == count) return ErrorCode::kIndex;
  const KEY& key = table_->key_info[found];
  if ((key.flags & (HA_FULLTEXT | HA_SPATIAL | HA_MULTI_VALUED_KEY)) != 0) return ErrorCode::kIndex;
  for (uint part = 0; part < key.user_defined_key_parts; ++part)
    if (table_->field[key.key_part[part].fieldnr - 1]->is_hidden_by_system())
      return ErrorCode::kIndex;
  // After ALTER TABLE … DISABLE KEYS the index has no rows. An invisible index has them all.
  if (!table_->s->keys_in_use.is_set(found)) return ErrorCode::kIndex;
  return found;
}

Result<uint> MysqlCursor::find_column(const std::string& name) const {
  for (uint i = 0; i < table_->s->fields; ++i) {
    const Field* const field = table_->field[i];
    // Columns that the server itself hides (of functional indexes) have no name for users.
    if (field->is_hidden_by_system() || name != field->field_name) continue;
    // SQL gives another value than the row has, depending on who asks.
    if (field->has_masking_policy()) return ErrorCode::kUnsupportedTable;
    return i;
  }
  return ErrorCode::kColumn;
}

Result<void> MysqlCursor::find_columns(const std::vector<std::string>& names,
                                       std::vector<uint>& numbers) const {
  numbers.clear();
  for (const std::string& name : names) {
    auto number = find_column(name);
    if (!number) return number.error();
    numbers.push_back(*number);
  }
  return {};
}

void MysqlCursor::mark_read_columns() {
  reads_key_columns_ = false;
  for (Field* field : columns_) table_->mark_column_used(field, MARK_COLUMNS_READ);
  for (Field* field : filter_columns_) table_->mark_column_used(field, MARK_COLUMNS_READ);
  if (expiry_.exists()) table_->mark_column_used(expiry_.field(), MARK_COLUMNS_READ);
  // A partitioned table merges the rows of its partitions by these columns.
  if (search_.has_prefixes() || table_->part_info != nullptr) mark_key_columns();
}

void MysqlCursor::mark_key_columns() {
  reads_key_columns_ = true;
  for (size_t part = 0; part < search_.parts(); ++part)
    table_->mark_column_used(search_.column(part), MARK_COLUMNS_READ);
}

void MysqlCursor::set_read_columns() {
  table_->clear_column_bitmaps();
  mark_read_columns();
  table_->file->column_bitmaps_signal();
}

}  // namespace hs::mysql
