// SPDX-License-Identifier: GPL-2.0-only
// Opening a table for a cursor: which tables are served, and what the names of a spec mean in one.
#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "adapter/number_text.h"
#include "mariadb/cursor.h"
#include "mariadb/engines.h"
#include "mariadb/expressions.h"
#include "mariadb/history_needs_sql.h"
#include "mariadb/names.h"
#include "mariadb/release.h"
#include "mariadb/session.h"
#include "mariadb/table_shape.h"

namespace hs::mariadb {
namespace {

LEX_CSTRING lex(const std::string& text) { return {text.data(), text.size()}; }

}  // namespace

MariaCursor::MariaCursor(MariaSession& session, engine::IndexSpecPtr spec)
    : session_(session),
      spec_(std::move(spec)),
      database_(filed_name(spec_->database)),
      table_name_(filed_name(spec_->table)),
      subject_(database_, table_name_),
      rights_(session.rights_room()) {}

MariaCursor::~MariaCursor() { session_.process_entry().forget(subject_); }

Result<void> MariaCursor::open() {
  // Both the name as sent and the name as filed: some letters change there, and a NUL would end it.
  for (const std::string_view name : std::initializer_list<std::string_view>{
           spec_->database, spec_->table, database_, table_name_})
    if (!is_valid_name(name)) return ErrorCode::kOpenTable;
  // The system tables hold accounts and privileges.
  if (database_ == "mysql") return ErrorCode::kOpenTable;

  THD* thd = session_.thd();
  lacks_children_ = false;
  const MDL_savepoint locked_before = thd->mdl_context.mdl_savepoint();
  const TABLE* const table_before = thd->open_tables;
  if (auto opened = open_list(); !opened) return opened;
  const bool is_written = session_.mode() == engine::Mode::kReadWrite;
  if (is_written && table_->triggers != nullptr) {
    if (auto checked = check_table(); !checked) return checked;
    // Once more, together with what the triggers use.
    table_ = nullptr;
    (void)session_.discard_if_killed(table_before);
    close_thread_table(thd, &thd->open_tables);
    thd->mdl_context.rollback_to_savepoint(locked_before);
    if (auto opened = open_with_triggers(); !opened) return opened;
  }
  table_->reginfo.lock_type = list_.lock_type;
  // As for a statement. Otherwise expressions take the table's columns for constants, and keep of them what they
  // have computed for the first row.
  table_->set_table_map(1, 0);
  if (auto checked = check_table(); !checked) return checked;
  if (is_written && triggers_ == nullptr && !children_.open(thd, &list_))
    return open_failed(ForeignKeyChildren::may_open_again(thd));
  return resolve();
}

Result<void> MariaCursor::open_list() {
  THD* thd = session_.thd();
  init_list();
  // Views are not opened.
  list_.i_s_requested_object = OPEN_TABLE_ONLY;
  opening_.emplace(thd, 0);
  if (open_table(thd, &list_, &*opening_) || list_.table == nullptr)
    return open_failed(opening_->can_recover_from_failed_open());
  table_ = list_.table;
  return {};
}

Result<void> MariaCursor::open_with_triggers() {
  THD* thd = session_.thd();
  init_list();
  triggers_ = std::make_unique<TriggerTables>(thd);
  session_.lend();
  const bool opened = triggers_->open(&list_);
  session_.take_back();
  if (!opened) return open_failed(ForeignKeyChildren::may_open_again(thd));
  table_ = list_.table;
  if (!triggers_->can_be_served()) return ErrorCode::kUnsupportedTable;
  return {};
}

void MariaCursor::init_list() {
  const LEX_CSTRING database = lex(database_);
  const LEX_CSTRING name = lex(table_name_);
  list_.reset();
  list_.init_one_table(&database, &name, nullptr,
                       session_.mode() == engine::Mode::kReadOnly ? TL_READ : TL_WRITE);
  list_.select_lex = session_.thd()->lex->first_select_lex();  // Spider looks at it
}

// Clients get one text for all reasons why a table cannot be opened; they are left to the server.
Error MariaCursor::open_failed(bool try_again) const {
  Error error = session_.take_lock_error();
  if (try_again) return Error::engine(HA_ERR_TABLE_DEF_CHANGED);
  if (error.code != ErrorCode::kSql && error.code != ErrorCode::kEngine) return error;
  // Nothing is known of the table.
  if (ends_request(error)) return error;
  return Error{ErrorCode::kOpenTable, 0, {}};
}

void MariaCursor::recover_failed_open() {
  if (opening_ && opening_->can_recover_from_failed_open() && opening_->recover_from_failed_open())
    (void)session_.take_error(0);
  opening_.reset();
}

void MariaCursor::forget_table() {
  counts_ = false;
  expiry_ = {};
  rights_.forget();
  table_ = nullptr;
  search_.bind(nullptr);
  children_.forget();
  triggers_.reset();
  read_lock_ = nullptr;
  columns_.clear();
  filter_columns_.clear();
  filters_.clear();
  texts_.clear();
}

void MariaCursor::list_locks(std::vector<MDL_ticket*>& locks) const {
  locks.push_back(list_.mdl_request.ticket);
  children_.list_locks(locks);
  if (triggers_ != nullptr) triggers_->list_locks(locks);
}

bool MariaCursor::is_seen_by(Principal& principal) const {
  // The server looks up names of accounts' tables by their bytes.
  if (!is_valid_name(database_) || !is_valid_name(table_name_)) return false;
  return session_.privileges().sees(principal, database_, table_name_);
}

const AccountRights& MariaCursor::ask_for_rights(Principal& principal, int64_t now_ms) {
  const TableNames names{database_.c_str(),
                         table_name_.c_str(),
                         columns_,
                         filter_columns_,
                         &table_->key_info[search_.number()],
                         search_.parts()};
  return rights_.keep(principal.id, now_ms, session_.privileges().rights(principal, names));
}

Result<void> MariaCursor::check_table() const {
  const TABLE_SHARE* share = table_->s;
  if (share->table_category != TABLE_CATEGORY_USER || share->table_type == TABLE_TYPE_SEQUENCE ||
      share->tmp_table != NO_TMP_TABLE)
    return ErrorCode::kOpenTable;
  if (!is_served(table_->file)) return ErrorCode::kUnsupportedTable;
  if (session_.mode() == engine::Mode::kReadOnly) return {};
  if (changes_depend_on_client(table_)) return ErrorCode::kUnsupportedTable;
  // The tables of sequences in defaults would have to be opened, too.
  if (table_->internal_tables != nullptr || history_needs_sql(table_))
    return ErrorCode::kUnsupportedTable;
  return {};
}

Result<void> MariaCursor::resolve() {
  definition_ = definition_of(*table_->s);
  if (auto taken = take_expiry(); !taken) return taken;
  auto index = find_index();
  if (!index) return index.error();
  if (auto opened = search_.open(table_, *index); !opened) return opened;
  is_spider_ = mariadb::is_spider(table_->file);
  is_remote_ = mariadb::is_remote(table_->file);
  if (is_spider_) search_.leave_out_ranges();

  columns_.clear();
  texts_.clear();
  for (const std::string& name : spec_->columns) {
    auto field = find_column(name);
    if (!field) return field.error();
    columns_.push_back(*field);
    texts_.emplace_back(*field);
  }
  filter_columns_.clear();
  for (const std::string& name : spec_->filter_columns) {
    auto field = find_column(name);
    if (!field) return field.error();
    filter_columns_.push_back(*field);
  }
  row_.resize(columns_.size());
  unique_key_.resize(table_->s->max_unique_length);
  locks_in_engine_ = table_->file->lock_count() == 0;
  undoes_rows_ = changes_rows_at_one_go();
  choose_covering_index();
  set_read_columns();
  return {};
}

// InnoDB undoes a row that it cannot change completely. That is not enough where the server makes
// several calls for one row (history, partitions, unique checks and indexes of its own), or where the
// change reaches other tables (cascades, triggers).
bool MariaCursor::changes_rows_at_one_go() const {
  const TABLE_SHARE* share = table_->s;
  const bool has_fulltext = std::any_of(table_->key_info, table_->key_info + share->keys,
                                        [](const KEY& key) { return release::is_fulltext(key); });
  return table_->file->ht->db_type == DB_TYPE_INNODB && table_->part_info == nullptr &&
         !table_->versioned() && !share->period.name && !share->long_unique_table &&
         !has_fulltext && !release::has_index_beside(table_->s) && children_.count() == 1 &&
         triggers_ == nullptr;
}

// Finds the index by its name, case-sensitively as the protocol says. An empty name is PRIMARY.
// Digits that are no index's name are its number.
Result<uint> MariaCursor::find_index() const {
  const std::string& name = spec_->index;
  uint found = table_->s->keys;
  const std::string_view wanted = name.empty() ? std::string_view("PRIMARY") : name;
  for (uint i = 0; i < table_->s->keys; ++i) {
    const LEX_CSTRING& candidate = table_->key_info[i].name;
    if (wanted == std::string_view(candidate.str, candidate.length)) found = i;
  }
  if (found == table_->s->keys) {
    const auto number = adapter::whole_number<uint>(wanted);
    if (number && *number < found) found = *number;
  }
  if (found == table_->s->keys) return ErrorCode::kIndex;
  // Only ordered and hash indexes can be searched by column values.
  const KEY& key = table_->key_info[found];
  if (!release::is_of_values(key)) return ErrorCode::kIndex;
  // After ALTER TABLE … DISABLE KEYS the index has no rows.
  if (!table_->s->keys_in_use.is_set(found)) return ErrorCode::kIndex;
  return found;
}

Result<Field*> MariaCursor::find_column(const std::string& name) const {
  for (Field** field = table_->field; *field != nullptr; ++field) {
    const LEX_CSTRING& candidate = (*field)->field_name;
    // Columns that the server itself hides (the hash of a long UNIQUE) have no name for users.
    if ((*field)->invisible < INVISIBLE_SYSTEM &&
        name == std::string_view(candidate.str, candidate.length)) {
      if (depends_on_client((*field)->vcol_info)) return ErrorCode::kUnsupportedTable;
      return *field;
    }
  }
  return ErrorCode::kColumn;
}

bool MariaCursor::is_in_index(const Field* field) const {
  return field->part_of_key.is_set(search_.number()) && field->vcol_info == nullptr;
}

// Reads from a secondary index alone when it has every column of the request.
void MariaCursor::choose_covering_index() {
  const auto in_index = [this](const Field* field) { return is_in_index(field); };
  covering_ = session_.mode() == engine::Mode::kReadOnly &&
              search_.number() != table_->s->primary_key && !table_->versioned() &&
              !search_.has_prefixes() && !columns_.empty() &&
              (!expiry_.exists() || in_index(expiry_.field())) &&
              std::all_of(columns_.begin(), columns_.end(), in_index) &&
              std::all_of(filter_columns_.begin(), filter_columns_.end(), in_index);
}

void MariaCursor::mark_read_columns() {
  reads_key_columns_ = false;
  for (Field* field : columns_) field->register_field_in_read_map();
  for (Field* field : filter_columns_) field->register_field_in_read_map();
  mark_columns_of_presence();
  if (search_.has_prefixes()) mark_key_columns();
}

// What tells whether a row is there.
void MariaCursor::mark_columns_of_presence() {
  if (table_->versioned()) table_->vers_end_field()->register_field_in_read_map();
  if (expiry_.exists()) expiry_.field()->register_field_in_read_map();
}

void MariaCursor::mark_key_columns() {
  reads_key_columns_ = true;
  for (size_t part = 0; part < search_.parts(); ++part)
    search_.column(part)->register_field_in_read_map();
}

void MariaCursor::set_read_columns() {
  reads_ = Reads::kColumns;
  table_->column_bitmaps_set_no_signal(&table_->def_read_set, &table_->def_write_set);
  bitmap_clear_all(table_->read_set);
  bitmap_clear_all(table_->write_set);
  mark_read_columns();
  table_->file->column_bitmaps_signal();
}

// On the write port the engine goes to every row in any case, to lock it.
void MariaCursor::begin_count(bool with_filters) {
  if (session_.mode() != engine::Mode::kReadOnly) return;
  counts_ = true;
  const Reads needed = with_filters ? Reads::kFilters : Reads::kNothing;
  // Other filters are of other columns.
  if (reads_ == needed && !with_filters) return;
  end_index();
  table_->file->ha_end_keyread();
  reads_ = needed;
  reads_key_columns_ = false;
  bitmap_clear_all(table_->read_set);
  if (with_filters) {
    for (const columns::ColumnFilter& filter : filters_)
      filter.field()->register_field_in_read_map();
  }
  mark_columns_of_presence();
  if (search_.has_prefixes()) mark_key_columns();
  table_->file->column_bitmaps_signal();
  if (covers_count(with_filters)) table_->file->ha_start_keyread(search_.number());
}

// Whether the index alone has what a count looks at.
bool MariaCursor::covers_count(bool with_filters) const {
  if (!(search_.flags() & HA_KEYREAD_ONLY) || table_->file->pk_is_clustering_key(search_.number()))
    return false;
  if (table_->versioned() || search_.has_prefixes()) return false;
  if (expiry_.exists() && !is_in_index(expiry_.field())) return false;
  return !with_filters ||
         std::all_of(filters_.begin(), filters_.end(), [this](const columns::ColumnFilter& filter) {
           return is_in_index(filter.field());
         });
}

// After a count, for a request that needs what the count did not.
void MariaCursor::read_all_columns() {
  end_index();
  table_->file->ha_end_keyread();
  set_read_columns();
  if (covering_) table_->file->ha_start_keyread(search_.number());
}

}  // namespace hs::mariadb
