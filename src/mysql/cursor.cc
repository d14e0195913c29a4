// SPDX-License-Identifier: GPL-2.0-only
// Locking, and how a search begins; how it goes on is in in_server/cursor.cc. Opening is in open_table.cc,
// changes are in write.cc.
#include "mysql/cursor.h"

#include <utility>

#include "mysql/session.h"

namespace hs::mysql {
namespace {

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
  // Where a find has no rows to lock it reads: beside other changes, the lock of a change may be refused
  // (GTIDs).
  init_list(plainly || (!changes_ && !can_undo_) ? TL_READ : TL_WRITE);
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

Error MysqlCursor::take_error(int number) { return session_.take_error(number); }

Result<bool> MysqlCursor::seek(KeyOperator op, std::span<const Value> key) {
  if (!search_.allows(op, key.size())) return ErrorCode::kOperator;

  auto built = search_.build(op, key, changes_);
  if (!built || !*built) return built;
  if (search_.looks_at_key() && !reads_key_columns_) read_key_columns();
  if (const int error = search_.begin()) return take_error(error);
  return landed(search_.first());
}

}  // namespace hs::mysql
