// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/trigger_tables.h"

#include <string_view>

#include "mariadb/foreign_keys.h"
#include "mariadb/history_needs_sql.h"
#include "mariadb/release.h"
#include "mariadb/server_session.h"

namespace hs::mariadb {
namespace {

const uint8 kAllEvents =
    trg2bit(TRG_EVENT_INSERT) | trg2bit(TRG_EVENT_UPDATE) | trg2bit(TRG_EVENT_DELETE);

// InnoDB takes the update of a versioned row for a delete when the statement may delete.
uint8 events_of(engine::Access access) {
  switch (access) {
    case engine::Access::kRead:
      break;
    case engine::Access::kInsert:
    case engine::Access::kInsertIgnore:
      return trg2bit(TRG_EVENT_INSERT);
    case engine::Access::kUpsert:
      return trg2bit(TRG_EVENT_INSERT) | trg2bit(TRG_EVENT_UPDATE);
    case engine::Access::kReplace:
      return trg2bit(TRG_EVENT_INSERT) | trg2bit(TRG_EVENT_DELETE);
    case engine::Access::kUpdate:
      return trg2bit(TRG_EVENT_UPDATE);
    case engine::Access::kDelete:
      return trg2bit(TRG_EVENT_DELETE);
  }
  return 0;
}

bool is_written(const TABLE_LIST& table) { return table.lock_type >= TL_FIRST_WRITE; }

bool is_child(const TABLE_LIST& table) {
  return table.prelocking_placeholder == TABLE_LIST::PRELOCK_FK;
}

bool equal(const LEX_CSTRING& a, const LEX_CSTRING& b) {
  return std::string_view(a.str, a.length) == std::string_view(b.str, b.length);
}

bool is_pending(const MDL_request& request) {
  return request.ticket != nullptr && request.ticket->has_pending_conflicting_lock();
}

}  // namespace

TriggerTables::TriggerTables(THD* thd)
    : thd_(thd), arena_(&memory_, Query_arena::STMT_CONVENTIONAL_EXECUTION) {
  init_alloc_root(PSI_NOT_INSTRUMENTED, &memory_, 8192, 0, MYF(0));
}

TriggerTables::~TriggerTables() {
  arena_.free_items();
  lex_end(&lex_);
  free_root(&memory_, MYF(0));
}

bool TriggerTables::open(TABLE_LIST* table) {
  table_ = table;
  LEX* const outer = thd_->lex;
  Query_arena outer_arena;
  thd_->set_n_backup_active_arena(&arena_, &outer_arena);
  thd_->lex = &lex_;
  lex_start(thd_);
  lex_.sql_command = SQLCOM_UPDATE;
  table->required_type = TABLE_TYPE_NORMAL;
  table->trg_event_map = kAllEvents;
  lex_.add_to_query_tables(table);
  // When the server tries again it first closes all tables of THD::open_tables.
  TABLE* const others = thd_->open_tables;
  thd_->set_open_tables(nullptr);
  DML_prelocking_strategy strategy;
  const bool failed = open_tables(thd_, DDL_options(), &table, &count_, 0, &strategy);
  first_ = last_ = thd_->open_tables;
  while (last_ != nullptr && last_->next != nullptr) last_ = last_->next;
  mysql_mutex_lock(&thd_->LOCK_thd_data);
  if (last_ != nullptr) last_->next = others;
  if (first_ == nullptr) thd_->open_tables = others;
  mysql_mutex_unlock(&thd_->LOCK_thd_data);
  thd_->lex = outer;
  thd_->restore_active_arena(&arena_, &outer_arena);
  if (failed || table_->table == nullptr) return false;
  for (const TABLE_LIST* used = table_; used != nullptr; used = used->next_global)
    lacks_tables_ |= used->table == nullptr && used->view == nullptr && !is_child(*used);
  return true;
}

bool TriggerTables::can_be_served() const {
  Table_triggers_list* const triggers = table_->table->triggers;
  if (triggers != nullptr && release::has_triggers_of_columns(*triggers)) return false;
  for (const TABLE_LIST* used = table_; used != nullptr; used = used->next_global) {
    const TABLE* const table = used->table;
    if (table == nullptr) continue;
    if (table->file->ht->db_type == DB_TYPE_MRG_MYISAM) return false;
    if (!is_written(*used)) continue;
    // What a trigger has changed there would stay when the request is undone to be executed again.
    if (!table->file->has_transactions_and_rollback()) return false;
    if (history_needs_sql(table)) return false;
  }
  return true;
}

bool TriggerTables::is_waited_for() const {
  for (const TABLE_LIST* used = table_->next_global; used != nullptr; used = used->next_global) {
    TABLE* const table = used->table;
    if (table != nullptr && (table->needs_reopen() || table->s->tdc->flushed)) return true;
    if (is_pending(used->mdl_request)) return true;
  }
  for (const Sroutine_hash_entry* routine = lex_.sroutines_list.first; routine != nullptr;
       routine = routine->next)
    if (is_pending(routine->mdl_request)) return true;
  return false;
}

void TriggerTables::list_locks(std::vector<MDL_ticket*>& locks) const {
  const auto list = [&locks](const MDL_request& request) {
    if (request.ticket != nullptr) locks.push_back(request.ticket);
  };
  for (const TABLE_LIST* used = table_->next_global; used != nullptr; used = used->next_global)
    list(used->mdl_request);
  for (const Sroutine_hash_entry* routine = lex_.sroutines_list.first; routine != nullptr;
       routine = routine->next)
    list(routine->mdl_request);
}

bool TriggerTables::is_complete() const {
  for (const TABLE_LIST* used = table_; used != nullptr; used = used->next_global) {
    if (used->table == nullptr || !is_written(*used)) continue;
    const bool complete = all_referring_keys(thd_, used->table, [&](const FOREIGN_KEY_INFO& key) {
      const uint8 events = used == table_ ? kAllEvents : used->trg_event_map;
      const thr_lock_type lock = lock_of_child(key, events);
      for (const TABLE_LIST* child = table_; child != nullptr; child = child->next_global)
        if (child->lock_type >= lock && equal(child->db, *key.foreign_db) &&
            equal(child->table_name, *key.foreign_table))
          return true;
      return false;
    });
    if (!complete) return false;
  }
  return true;
}

enum_mdl_type TriggerTables::protection_type() const {
  for (const TABLE_LIST* used = table_; used != nullptr; used = used->next_global)
    if (used->table != nullptr && is_written(*used) && !used->table->s->online_backup)
      return MDL_BACKUP_DML;
  return MDL_BACKUP_TRANS_DML;
}

// Statements of triggers look tables up by name in THD::open_tables, and must not find those of
// other cursors. Another thread may go through the list.
void TriggerTables::hide_other_tables() {
  mysql_mutex_lock(&thd_->LOCK_thd_data);
  head_ = thd_->open_tables;
  tail_ = last_->next;
  last_->next = nullptr;
  thd_->open_tables = first_;
  mysql_mutex_unlock(&thd_->LOCK_thd_data);
}

void TriggerTables::show_other_tables() {
  mysql_mutex_lock(&thd_->LOCK_thd_data);
  last_->next = tail_;
  thd_->open_tables = head_;
  mysql_mutex_unlock(&thd_->LOCK_thd_data);
}

bool TriggerTables::lock(engine::Access access) {
  outer_ = thd_->lex;
  lex_.sql_command = outer_->sql_command;
  table_->trg_event_map = events_of(access);
  thd_->lex = &lex_;
  hide_other_tables();
  // It was set to a statement of a routine, which the server may have dropped from its cache since.
  for (TABLE_LIST* used = table_; used != nullptr; used = used->next_global)
    if (used->table != nullptr) used->table->pos_in_table_list = used;
  if (!lock_killably(thd_, [&] { return !lock_tables(thd_, table_, count_, 0); })) return false;
  // Every kind of change that is allowed here fires the triggers as SQL does.
  TABLE* const table = table_->table;
  switch (access) {
    case engine::Access::kRead:
      break;
    case engine::Access::kInsert:
    case engine::Access::kInsertIgnore:
    case engine::Access::kUpsert:
    case engine::Access::kReplace:
      table->prepare_triggers_for_insert_stmt_or_event();
      break;
    case engine::Access::kUpdate:
      (void)table->prepare_triggers_for_update_stmt_or_event();
      break;
    case engine::Access::kDelete:
      (void)table->prepare_triggers_for_delete_stmt_or_event();
      break;
  }
  return true;
}

void TriggerTables::leave() {
  if (outer_ == nullptr) return;
  for (TABLE* table = first_; table != nullptr; table = table->next) {
    if (table == table_->table || table->query_id == 0) continue;
    table->file->ha_reset();
    table->query_id = 0;
  }
  thd_->leave_locked_tables_mode();
  show_other_tables();
  thd_->lex = outer_;
  outer_ = nullptr;
}

}  // namespace hs::mariadb
