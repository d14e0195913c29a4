// SPDX-License-Identifier: GPL-2.0-only
// Locking, and how a search begins; how it goes on is in in_server/cursor.cc. Opening is in open_table.cc,
// changes are in write.cc.
#include "mariadb/cursor.h"

#include "base/temporarily.h"
#include "mariadb/engines.h"
#include "mariadb/release.h"
#include "mariadb/session.h"

namespace hs::mariadb {
namespace {

// While it lives and the cursor's table is Spider's, the statement is a HANDLER for the engine.
class SpidersCommand : Temporarily<enum_sql_command> {
 public:
  SpidersCommand(THD* thd, bool is_spider)
      : Temporarily(thd->lex->sql_command, is_spider ? SQLCOM_HA_READ : thd->lex->sql_command) {}
};

// Some engines keep new rows back until a reader locks the table, or its statistics are asked for
// (ARCHIVE). SQL asks for them before it looks for rows, whatever the lock is.
void take_rows_kept_back(handler* file) {
  if (!is_of_server(file)) file->info(HA_STATUS_VARIABLE | HA_STATUS_NO_LOCK);
}

// Some engines leave it to the server to tell whether the next row has the same key (MyRocks). It
// looks at the key's columns in the row.
bool compares_rows_with_key(const handler* file, KeyOperator op) {
  return op == KeyOperator::kEqual && !is_of_server(file);
}

}  // namespace

bool MariaCursor::lock_for_read() {
  TABLE* tables[1] = {table_};
  table_->query_id = session_.thd()->query_id;
  const SpidersCommand command(session_.thd(), is_spider_);
  const bool locked = lock_killably(session_.thd(), [&] {
    read_lock_ = mysql_lock_tables(session_.thd(), tables, 1, 0);
    return read_lock_ != nullptr;
  });
  if (!locked) return false;
  changes_ = false;
  if (covering_) table_->file->ha_start_keyread(search_.number());
  return true;
}

void MariaCursor::unlock_read() {
  table_->file->ha_end_keyread();
  end_index();
  mysql_unlock_tables(session_.thd(), read_lock_);
  read_lock_ = nullptr;
  // Returns the memory that the engine keeps for BLOBs, and Spider's connections. This resets the column
  // sets, too.
  if (table_->s->blob_fields != 0 || is_spider_) {
    table_->file->ha_reset();
    set_read_columns();
  } else if (reads_ != Reads::kColumns) {
    set_read_columns();
  }
}

bool MariaCursor::lock_for_write(engine::Access access) {
  THD* thd = session_.thd();
  bool failed = false;
  {
    const SpidersCommand command(thd, is_spider_ && access == engine::Access::kRead);
    failed = !lock_tables_for(access);
  }
  // A second handler looks rows up to check long UNIQUE columns and periods. The delete of a row
  // that becomes history is an update.
  const bool adds = engine::inserts(access);
  const bool updates = access == engine::Access::kUpdate ||
                       (adds && access != engine::Access::kInsert) ||
                       (access == engine::Access::kDelete && table_->versioned(VERS_TIMESTAMP));
  access_ = access;
  if (!failed && adds) failed = !allows_puts();
  if (!failed) failed = !release::prepare_for_writes(table_->file, adds, updates);
  if (!failed && adds) failed = !begin_puts();
  if (failed) {
    if (thd->lock != nullptr) end_statement();
    leave_triggers();
    if (thd->lock == nullptr) return false;
    mysql_unlock_tables(thd, thd->lock);
    thd->lock = nullptr;
    table_->file->ha_reset();  // the second handler must not outlive the statement
    return false;
  }
  // The columns of an insert are known only with its values: see mark_insert_columns().
  insert_columns_.reset();
  changes_ = access != engine::Access::kRead;
  if (!adds) {
    take_rows_kept_back(table_->file);
    set_write_columns(access);
  }
  return true;
}

// The isolation level says whether rows are locked.
bool MariaCursor::lock_for_view() {
  THD* thd = session_.thd();
  TABLE* tables[1] = {table_};
  table_->query_id = thd->query_id;
  table_->reginfo.lock_type = TL_READ;
  const SpidersCommand command(thd, is_spider_);
  const bool locked = lock_killably(thd, [&] {
    thd->lock = mysql_lock_tables(thd, tables, 1, 0);
    return thd->lock != nullptr;
  });
  table_->reginfo.lock_type = list_.lock_type;
  if (!locked) return false;
  access_ = engine::Access::kRead;
  insert_columns_.reset();
  changes_ = false;
  set_write_columns(engine::Access::kRead);
  return true;
}

void MariaCursor::invalidate_query_cache() {
  query_cache_invalidate3(session_.thd(), &list_, true);
}

void MariaCursor::take_query_id() {
  // As lock_tables() does for a new statement.
  for (TABLE_LIST* table = &list_; table != nullptr; table = table->next_global)
    if (table->table != nullptr) table->table->query_id = session_.thd()->query_id;
}

enum_mdl_type MariaCursor::protection_type() const {
  if (triggers_ != nullptr) return triggers_->protection_type();
  return table_->s->online_backup ? MDL_BACKUP_TRANS_DML : MDL_BACKUP_DML;
}

// Of the errors that only the engine knows (those of MyRocks), it raises SQL's.
Error MariaCursor::take_error(int number) {
  if (number == HA_ERR_LOCK_WAIT_TIMEOUT && !is_of_server(table_->file))
    session_.note_unreported_wait();
  if (number <= HA_ERR_LAST) return session_.take_error(number);
  table_->file->print_error(number, MYF(0));
  return session_.take_engines_own_error();
}

Result<bool> MariaCursor::seek(KeyOperator op, std::span<const Value> key) {
  if (!search_.allows(op, key.size())) return ErrorCode::kOperator;

  if (reads_ != Reads::kColumns && !counts_) [[unlikely]]
    read_all_columns();
  auto built = search_.build(op, key, changes_);
  if (!built || !*built) return built;
  const bool compares = search_.looks_at_key() || compares_rows_with_key(table_->file, op);
  if (compares && !reads_key_columns_) read_key_columns();
  if (const int error = search_.begin()) return take_error(error);
  return landed(search_.first());
}

// True for a row of a versioned table's past. Its indexes have such rows, too, but SQL shows only
// present ones.
bool MariaCursor::is_history() const {
  return table_->versioned() && !table_->vers_end_field()->is_max();
}

Result<void> MariaCursor::set_filters(std::span<const Filter> filters) {
  // A filter examines a value that the column cannot hold; the field must raise no error for it.
  if (!filters.empty()) {
    session_.thd()->count_cuted_fields = CHECK_FIELD_WARN;
    session_.thd()->abort_on_warning = false;
  }
  return columns::make_filters(filter_columns_, filters, &filters_);
}

}  // namespace hs::mariadb
