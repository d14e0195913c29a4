// SPDX-License-Identifier: GPL-2.0-only
// Locking, positioning and reading. Opening is in open_table.cc, changes in write.cc.
#include "mysql/cursor.h"

#include <utility>

#include "mysql/engine_errors.h"
#include "mysql/session.h"

namespace hs::mysql {
namespace {

// How many rows are passed over before the session reports the work.
constexpr uint32_t kRowsToTell = 64;

// What a change does to the rows, as the server asks for it to find the tables that it reaches.
uint8 events_of(engine::Access access) {
  const auto bit = [](enum_trigger_event_type event) { return static_cast<uint8>(1U << event); };
  switch (access) {
    case engine::Access::kRead:
      return 0;
    case engine::Access::kInsert:
    case engine::Access::kInsertIgnore:
      return bit(TRG_EVENT_INSERT);
    case engine::Access::kUpdate:
      return bit(TRG_EVENT_UPDATE);
    case engine::Access::kDelete:
      return bit(TRG_EVENT_DELETE);
    case engine::Access::kUpsert:
      return bit(TRG_EVENT_INSERT) | bit(TRG_EVENT_UPDATE);
    case engine::Access::kReplace:
      return bit(TRG_EVENT_INSERT) | bit(TRG_EVENT_DELETE);
  }
  return 0;
}

}  // namespace

bool MysqlCursor::lock_for_read() {
  THD* const thd = session_.thd();
  TABLE* tables[1] = {table_};
  table_->query_id = thd->query_id;
  read_lock_ = mysql_lock_tables(thd, tables, 1, 0);
  changes_ = false;
  return read_lock_ != nullptr;
}

void MysqlCursor::unlock_read() {
  end_index();
  mysql_unlock_tables(session_.thd(), read_lock_);
  read_lock_ = nullptr;
  // Returns the memory that the engine keeps for BLOBs. This resets the column sets, too.
  if (table_->s->blob_fields != 0) {
    table_->file->ha_reset();
    set_read_columns();
  }
}

bool MysqlCursor::lock_for_write(engine::Access access, bool plainly) {
  THD* const thd = session_.thd();
  access_ = access;
  changes_ = access != engine::Access::kRead;
  insert_columns_.reset();
  init_list(plainly ? TL_READ : TL_WRITE);
  list_->trg_event_map = events_of(access);
  // Rows that have expired give way.
  if (changes_ && expiry_.exists()) list_->trg_event_map |= events_of(engine::Access::kDelete);
  thd->lex->add_to_query_tables(&*list_);
  // A row may be locked where no row may be changed.
  const uint flags = changes_ ? 0 : MYSQL_LOCK_IGNORE_GLOBAL_READ_ONLY;
  // Audit plugins are told by the session, for the account.
  const bool is_audited = std::exchange(thd->m_audited, false);
  const bool failed = open_and_lock_tables(thd, &*list_, flags);
  thd->m_audited = is_audited;
  if (failed) return false;
  // What a plugin asks of tables that are changed, as that for replication in groups.
  if (changes_ && run_before_dml_hook(thd)) return false;
  bind(list_->table);
  note_opened();
  if (engine::inserts(access)) begin_puts();
  // The columns of an insert are known only with its values: see mark_insert_columns().
  return engine::inserts(access) || set_write_columns(access);
}

void MysqlCursor::end_statement() {
  end_index();
  rows_aside_.reset();
  if (engine::inserts(access_)) end_puts();
}

Result<bool> MysqlCursor::seek(KeyOperator op, std::span<const Value> key) {
  if (!search_.allows(op, key.size())) return ErrorCode::kOperator;

  auto built = search_.build(op, key, changes_);
  if (!built || !*built) return built;
  if (search_.looks_at_key() && !reads_key_columns_) read_key_columns();
  if (const int error = search_.begin()) return session_.take_error(error);
  return landed(search_.first());
}

// The engine reads the columns that were marked when the index was begun, so it is begun again.
void MysqlCursor::read_key_columns() {
  end_index();
  mark_key_columns();
  table_->file->column_bitmaps_signal();
}

Result<bool> MysqlCursor::next() { return landed(search_.next()); }

Result<bool> MysqlCursor::landed(int error) {
  // A long scan that wants none of its rows makes no other call that would notice a KILL.
  const auto is_killed = [thd = session_.thd()] { return thd->killed != THD::NOT_KILLED; };
  for (uint32_t passed = 1;
       error == 0 && !is_killed() && (is_absent() || !search_.meets_conditions()); ++passed) {
    if (passed % kRowsToTell == 0) session_.works(kRowsToTell);
    error = search_.next();
  }
  if (is_killed()) return session_.take_error(HA_ERR_QUERY_INTERRUPTED);
  switch (error) {
    case 0:
      return true;
    case HA_ERR_KEY_NOT_FOUND:
    case HA_ERR_END_OF_FILE:
      return false;
    default:
      return session_.take_error(error);
  }
}

Result<void> MysqlCursor::set_filters(std::span<const Filter> filters) {
  filters_.clear();
  if (filters.empty()) {
    filters_.shrink_to_fit();
    return {};
  }
  for (const Filter& filter : filters) {
    auto made =
        columns::ColumnFilter::make(filter_columns_[filter.column], filter.op, filter.value);
    if (!made) return made.error();
    filters_.push_back(std::move(*made));
  }
  return {};
}

Result<std::span<const Value>> MysqlCursor::row() {
  for (size_t i = 0; i < texts_.size(); ++i)
    if (!texts_[i].read(&row_[i])) return Error::engine(HA_ERR_OUT_OF_MEM);
  return std::span<const Value>(row_);
}

Result<bool> MysqlCursor::keeps_key(std::span<const Value> key) {
  end_index();
  Result<bool> built = search_.build(KeyOperator::kEqual, key, changes_);
  if (!built || !*built) return built;
  if (session_.thd()->killed != THD::NOT_KILLED)
    return session_.take_error(HA_ERR_QUERY_INTERRUPTED);
  Field* const counter = table_->found_next_number_field;
  if (counter == nullptr || (session_.thd()->variables.sql_mode & MODE_NO_AUTO_VALUE_ON_ZERO)) {
    return true;
  }
  return !search_.has_column(counter, key.size()) || counter->val_int() != 0;
}

Result<bool> MysqlCursor::seek_position(std::string_view position) {
  const int error = search_.go_to(position);
  if (session_.thd()->killed != THD::NOT_KILLED)
    return session_.take_error(HA_ERR_QUERY_INTERRUPTED);
  if (error == 0) return !is_absent() && search_.meets_key();
  if (is_gone(error)) return false;
  return session_.take_error(error);
}

Result<void> MysqlCursor::failed(int number) { return session_.take_error(number); }

}  // namespace hs::mysql
