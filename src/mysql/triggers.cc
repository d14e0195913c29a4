// SPDX-License-Identifier: GPL-2.0-only
// The triggers of a cursor's table: what SQL does with them around the change of a row
// (fill_record_n_invoke_before_triggers() in sql_base.cc, write_record() in sql_insert.cc), and what the
// server has opened for a statement that may run some.
#include <algorithm>

#include "mysql/cursor.h"
#include "mysql/session.h"
#include "sql/dd/types/function.h"
#include "sql/dd/types/procedure.h"
#include "sql/sp.h"
#include "sql/table_trigger_dispatcher.h"
#include "sql/trigger_chain.h"

namespace hs::mysql {
namespace {

bool is_written(const Table_ref& used) {
  return used.table != nullptr && used.lock_descriptor().type >= TL_WRITE_ALLOW_WRITE;
}

// The lock on a function or a procedure that the statement's tables were opened with. Null: it has none.
MDL_ticket* lock_of(THD* thd, const Sroutine_hash_entry& routine) {
  MDL_key key;
  switch (routine.type()) {
    case Sroutine_hash_entry::FUNCTION:
      dd::Function::create_mdl_key(routine.db(), routine.name(), &key);
      break;
    case Sroutine_hash_entry::PROCEDURE:
      dd::Procedure::create_mdl_key(routine.db(), routine.name(), &key);
      break;
    default:
      return nullptr;
  }
  // As the server itself has asked for it, so this finds what was granted then.
  MDL_request request;
  MDL_REQUEST_INIT_BY_KEY(&request, &key, MDL_SHARED, MDL_TRANSACTION);
  return thd->mdl_context.try_acquire_lock(&request) ? nullptr : request.ticket;
}

}  // namespace

// What the open statement has locked, and what may happen in it.
void MysqlCursor::note_opened() {
  THD* const thd = session_.thd();
  locks_.clear();
  runs_triggers_ = false;
  can_undo_ = table_->file->has_transactions();
  for (const Table_ref* used = &*list_; used != nullptr; used = used->next_global) {
    if (used->mdl_request.ticket != nullptr) locks_.push_back(used->mdl_request.ticket);
    if (!is_written(*used)) continue;
    runs_triggers_ |= changes_ && used->table->triggers != nullptr;
    can_undo_ &= used->table->file->has_transactions();
  }
  for (const Sroutine_hash_entry* routine = thd->lex->sroutines_list.first; routine != nullptr;
       routine = routine->next)
    if (MDL_ticket* const lock = lock_of(thd, *routine)) locks_.push_back(lock);
}

Trigger_chain* MysqlCursor::triggers_before(enum_trigger_event_type event) const {
  Table_trigger_dispatcher* const triggers = table_->triggers;
  return triggers == nullptr ? nullptr : triggers->get_triggers(event, TRG_ACTION_BEFORE);
}

// The columns that triggers read and set. False: the server could not read the triggers, and the error
// is raised.
bool MysqlCursor::mark_trigger_columns(enum_trigger_event_type event) {
  return table_->triggers == nullptr || !table_->triggers->mark_fields(event);
}

// `old_is_beside`: the old row is the one in record[1].
Result<void> MysqlCursor::fire(enum_trigger_event_type event, enum_trigger_action_time_type time,
                               bool old_is_beside) {
  Table_trigger_dispatcher* const triggers = table_->triggers;
  if (triggers == nullptr) [[likely]]
    return {};
  THD* const thd = session_.thd();
  const bool runs = triggers->has_triggers(event, time);
  if (runs) session_.begin_trigger();
  // Fails, too, when the server could not read the table's triggers.
  const bool failed = triggers->process_triggers(thd, event, time, old_is_beside);
  if (runs) session_.end_trigger();
  if (!failed && !thd->is_error()) return {};
  return session_.take_trigger_error();
}

// Runs `triggers`, which come before the change, and computes anew what depends on the columns that they
// set. The fields accept NULL until then.
Result<void> MysqlCursor::fire_before(enum_trigger_event_type event, Trigger_chain& triggers) {
  if (auto fired = fire(event, TRG_ACTION_BEFORE, true); !fired) return fired;
  if (!table_->has_gcol() || !triggers.has_updated_trigger_fields(table_->write_set)) return {};
  return compute_generated(false) ? Result<void>() : failed(0);
}

// As check_inserting_record() of sql_base.cc, which is static: no NULL may remain in a column that was
// given a value by the request or by a trigger.
Result<void> MysqlCursor::check_nulls() {
  THD* const thd = session_.thd();
  for (Field** field = table_->field; *field != nullptr && !thd->is_error(); ++field) {
    const uint number = (*field)->field_index();
    const bool is_given = given_[number] || bitmap_is_set(table_->fields_set_during_insert, number);
    if (is_given && (*field)->check_constraints(ER_BAD_NULL_ERROR) != TYPE_OK) return failed(0);
  }
  return thd->is_error() ? failed(0) : Result<void>();
}

}  // namespace hs::mysql
