// SPDX-License-Identifier: GPL-2.0-only
// Locking, positioning and reading. Opening is in open_table.cc, keys in key.cc, changes in
// write.cc.
#include "mariadb/cursor.h"

#include "mariadb/session.h"

namespace hs::mariadb {
namespace {

ha_rkey_function search_mode(KeyOperator op) {
  switch (op) {
    case KeyOperator::kEqual:
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

bool MariaCursor::lock_for_read() {
  TABLE* tables[1] = {table_};
  table_->query_id = session_.thd()->query_id;
  read_lock_ = mysql_lock_tables(session_.thd(), tables, 1, 0);
  return read_lock_ != nullptr;
}

void MariaCursor::unlock_read() {
  end_index();
  mysql_unlock_tables(session_.thd(), read_lock_);
  read_lock_ = nullptr;
  // Gives back what the engine keeps for BLOBs, and the column sets with it.
  if (table_->s->blob_fields != 0) {
    table_->file->ha_reset();
    set_read_columns();
  }
}

bool MariaCursor::lock_for_write(engine::Access access) {
  if (lock_tables(session_.thd(), &list_, 1, 0)) {
    if (session_.thd()->lock != nullptr) {
      mysql_unlock_tables(session_.thd(), session_.thd()->lock);
      session_.thd()->lock = nullptr;
    }
    return false;
  }
  set_write_columns(access);
  return true;
}

void MariaCursor::end_index() {
  if (table_->file->inited != handler::NONE) table_->file->ha_index_or_rnd_end();
}

enum_mdl_type MariaCursor::protection_type() const {
  return table_->s->online_backup ? MDL_BACKUP_TRANS_DML : MDL_BACKUP_DML;
}

Result<void> MariaCursor::init_index() {
  handler* file = table_->file;
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

Result<bool> MariaCursor::seek(KeyOperator op, std::span<const Value> key) {
  const ulong can = table_->file->index_flags(index_, 0, true);
  // A hash index finds whole keys only.
  if (op != KeyOperator::kEqual && !(can & (HA_READ_NEXT | HA_READ_PREV | HA_READ_RANGE)))
    return ErrorCode::kOperator;
  if (key.size() < key_parts_ && (can & HA_ONLY_WHOLE_INDEX)) return ErrorCode::kOperator;

  auto built = build_key(key);
  if (!built || !*built) return built;
  if (auto begun = init_index(); !begun) return begun.error();
  op_ = op;
  return landed(
      table_->file->ha_index_read_map(table_->record[0], key_.data(), key_map_, search_mode(op)));
}

Result<bool> MariaCursor::next() {
  handler* file = table_->file;
  uchar* record = table_->record[0];
  switch (op_) {
    case KeyOperator::kEqual:
      return landed(file->ha_index_next_same(record, key_.data(), key_length_));
    case KeyOperator::kGreater:
    case KeyOperator::kGreaterOrEqual:
      return landed(file->ha_index_next(record));
    case KeyOperator::kLess:
    case KeyOperator::kLessOrEqual:
      break;
  }
  return landed(file->ha_index_prev(record));
}

Result<bool> MariaCursor::landed(int error) {
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

Result<std::span<const Value>> MariaCursor::row() {
  for (size_t i = 0; i < texts_.size(); ++i)
    if (!texts_[i].read(&row_[i])) return Error::engine(HA_ERR_OUT_OF_MEM);
  return std::span<const Value>(row_);
}

std::string_view MariaCursor::position() {
  handler* file = table_->file;
  file->position(table_->record[0]);
  return {reinterpret_cast<const char*>(file->ref), file->ref_length};
}

Result<bool> MariaCursor::seek_position(std::string_view position) {
  handler* file = table_->file;
  if (file->inited == handler::INDEX) file->ha_index_end();
  if (file->inited == handler::NONE)
    if (const int error = file->ha_rnd_init(false)) return session_.take_error(error);
  const auto* ref = reinterpret_cast<const uchar*>(position.data());
  const int error = file->ha_rnd_pos(table_->record[0], const_cast<uchar*>(ref));
  return error == HA_ERR_RECORD_DELETED ? landed(HA_ERR_KEY_NOT_FOUND) : landed(error);
}

}  // namespace hs::mariadb
