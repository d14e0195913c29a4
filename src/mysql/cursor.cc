// SPDX-License-Identifier: GPL-2.0-only
// Locking, positioning and reading. Opening is in open_table.cc, keys in key.cc, changes in
// write.cc.
#include "mysql/cursor.h"

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

// Where a search starts. With conditions it starts in front of all rows that have an equal key,
// since the conditions decide: when the index has only the beginning of a column, values that begin
// alike may lie on either side.
ha_rkey_function search_mode(KeyOperator op, bool has_conditions) {
  if (has_conditions && op == KeyOperator::kGreater) op = KeyOperator::kGreaterOrEqual;
  if (has_conditions && op == KeyOperator::kLess) op = KeyOperator::kLessOrEqual;
  switch (op) {
    case KeyOperator::kEqual:
    case KeyOperator::kEqualDescending:
      return HA_READ_KEY_EXACT;
    case KeyOperator::kGreater:
      return HA_READ_AFTER_KEY;
    case KeyOperator::kGreaterOrEqual:
      return HA_READ_KEY_OR_NEXT;
    case KeyOperator::kLess:
      return HA_READ_BEFORE_KEY;
    case KeyOperator::kLessOrEqual:
      return HA_READ_PREFIX_LAST_OR_PREV;
  }
  return HA_READ_KEY_EXACT;
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
  if (open_and_lock_tables(thd, &*list_, flags)) return false;
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

void MysqlCursor::end_index() {
  if (table_->file->inited != handler::NONE) table_->file->ha_index_or_rnd_end();
}

Result<void> MysqlCursor::init_index() {
  handler* const file = table_->file;
  if (file->inited == handler::INDEX) {
    // A partitioned table keeps the state of its merge of partitions from the last search.
    if (table_->part_info == nullptr) return {};
    file->ha_index_end();
  } else if (file->inited == handler::RND) {
    file->ha_rnd_end();
  }
  if (const int error = file->ha_index_init(index_, true)) return failed(error);
  return {};
}

Result<bool> MysqlCursor::seek(KeyOperator op, std::span<const Value> key) {
  // A hash index only finds rows by a whole key.
  if (op != KeyOperator::kEqual && !(index_flags_ & HA_READ_ORDER)) return ErrorCode::kOperator;
  if (key.size() < key_parts_ && (index_flags_ & HA_ONLY_WHOLE_INDEX)) return ErrorCode::kOperator;

  backwards_ = op == KeyOperator::kEqualDescending;
  auto built = build_key(backwards_ ? KeyOperator::kEqual : op, key);
  if (!built || !*built) return built;
  if ((!conditions_.empty() || backwards_) && !reads_key_columns_) read_key_columns();
  if (auto begun = init_index(); !begun) return begun.error();
  return landed(search());
}

// The engine reads the columns that were marked when the index was begun, so it is begun again.
void MysqlCursor::read_key_columns() {
  end_index();
  mark_key_columns();
  table_->file->column_bitmaps_signal();
}

int MysqlCursor::search() {
  handler* const file = table_->file;
  uchar* const record = table_->record[0];
  const ha_rkey_function mode =
      backwards_ ? HA_READ_PREFIX_LAST : search_mode(op_, !conditions_.empty());
  if (key_length_ != 0) return file->ha_index_read_map(record, key_.data(), key_map_, mode);
  return op_ == KeyOperator::kGreater || op_ == KeyOperator::kGreaterOrEqual
             ? file->ha_index_first(record)
             : file->ha_index_last(record);
}

Result<bool> MysqlCursor::next() { return landed(step()); }

int MysqlCursor::step() {
  handler* const file = table_->file;
  uchar* const record = table_->record[0];
  switch (op_) {
    case KeyOperator::kEqual:
    case KeyOperator::kEqualDescending:
      return backwards_ ? step_back() : file->ha_index_next_same(record, key_.data(), key_length_);
    case KeyOperator::kGreater:
    case KeyOperator::kGreaterOrEqual:
      return file->ha_index_next(record);
    case KeyOperator::kLess:
    case KeyOperator::kLessOrEqual:
      break;
  }
  return file->ha_index_prev(record);
}

// The next row of the same key in descending order.
int MysqlCursor::step_back() {
  if (const int error = table_->file->ha_index_prev(table_->record[0])) return error;
  const bool is_same = !key_cmp_if_same(table_, key_.data(), index_, key_length_);
  return is_same ? 0 : HA_ERR_END_OF_FILE;
}

Result<bool> MysqlCursor::landed(int error) {
  // A long scan that wants none of its rows makes no other call that would notice a KILL.
  const auto is_killed = [thd = session_.thd()] { return thd->killed != THD::NOT_KILLED; };
  for (uint32_t passed = 1; error == 0 && !is_killed() && (is_absent() || !meets_conditions());
       ++passed) {
    if (passed % kRowsToTell == 0) session_.works(kRowsToTell);
    error = step();
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

std::string_view MysqlCursor::position() {
  handler* const file = table_->file;
  file->position(table_->record[0]);
  return {reinterpret_cast<const char*>(file->ref), file->ref_length};
}

Result<bool> MysqlCursor::seek_position(std::string_view position) {
  handler* const file = table_->file;
  if (file->inited == handler::INDEX) file->ha_index_end();
  if (file->inited == handler::NONE)
    if (const int error = file->ha_rnd_init(false)) return session_.take_error(error);
  const auto* const ref = reinterpret_cast<const uchar*>(position.data());
  const int error = file->ha_rnd_pos(table_->record[0], const_cast<uchar*>(ref));
  if (session_.thd()->killed != THD::NOT_KILLED)
    return session_.take_error(HA_ERR_QUERY_INTERRUPTED);
  if (error == 0) return !is_absent() && meets_key();
  if (is_gone(error)) return false;
  return session_.take_error(error);
}

Result<void> MysqlCursor::failed(int number) { return session_.take_error(number); }

}  // namespace hs::mysql
