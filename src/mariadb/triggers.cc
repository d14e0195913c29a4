// SPDX-License-Identifier: GPL-2.0-only
// The triggers of a cursor's table: what SQL does with them around the change of a row. Called from
// write.cc, where a table without triggers costs the look at one pointer.
#include <utility>

#include "mariadb/cursor.h"
#include "mariadb/release.h"
#include "mariadb/server_session.h"
#include "mariadb/session.h"

namespace hs::mariadb {
namespace {

// Notes it when a statement of a trigger does not get a lock. A trigger may have a handler for the
// error of some of them, and go on; but while the session does not wait, the error says nothing of
// what would have happened in SQL.
class RefusedLocks final : public Internal_error_handler {
 public:
  explicit RefusedLocks(THD* thd) : thd_(thd) { thd_->push_internal_handler(this); }
  ~RefusedLocks() override { thd_->pop_internal_handler(); }
  RefusedLocks(const RefusedLocks&) = delete;
  RefusedLocks& operator=(const RefusedLocks&) = delete;

  bool handle_condition(THD*, uint number, const char*, Sql_condition::enum_warning_level*,
                        const char*, Sql_condition**) override {
    any_ |= number == ER_LOCK_WAIT_TIMEOUT || number == ER_AUTOINC_READ_FAILED;
    return false;
  }
  bool any() const { return any_; }

 private:
  THD* const thd_;
  bool any_ = false;
};

bool ends_with_timeout(THD* thd) {
  return thd->is_error() && thd->get_stmt_da()->sql_errno() == ER_LOCK_WAIT_TIMEOUT;
}

}  // namespace

bool MariaCursor::lock_tables_for(engine::Access access) {
  THD* thd = session_.thd();
  if (triggers_ == nullptr) {
    // As INSERT in SQL: MyISAM and Aria add rows beside those who read. Where rows expire an insert may
    // delete one.
    const bool only_adds = access == engine::Access::kInsert && !expiry_.exists();
    if (only_adds) table_->reginfo.lock_type = TL_WRITE_CONCURRENT_INSERT;
    const bool locked =
        lock_killably(thd, [&] { return !lock_tables(thd, &list_, children_.count(), 0); });
    table_->reginfo.lock_type = list_.lock_type;
    return locked;
  }
  if (access == engine::Access::kRead) {
    // Nothing is changed, so the table alone is enough.
    TABLE_LIST* const others = std::exchange(list_.next_global, nullptr);
    const bool locked = lock_killably(thd, [&] { return !lock_tables(thd, &list_, 1, 0); });
    list_.next_global = others;
    return locked;
  }
  session_.lend();
  return triggers_->lock(access);
}

void MariaCursor::leave_triggers() {
  if (triggers_ != nullptr) triggers_->leave();
}

// Until a BEFORE trigger has run, a column that is not nullable can be NULL all the same.
Field* MariaCursor::to_fill(Field* field) const {
  return triggers_ == nullptr ? field : table_->field_to_fill()[field->field_index];
}

// `old_is_beside`: the old row is the one in record[1]. A trigger fails with its own error; a row that
// it does not get is as one that the request itself does not get.
Result<void> MariaCursor::fire(trg_event_type event, trg_action_time_type time,
                               bool old_is_beside) {
  if (triggers_ == nullptr || table_->triggers == nullptr) [[likely]]
    return {};
  THD* thd = session_.thd();
  Table_triggers_list& triggers = *table_->triggers;
  if (!triggers.has_triggers(event, time)) {
    // Fails when the server could not read the table's triggers.
    return release::run_triggers(triggers, thd, event, time, old_is_beside) ? Result<void>()
                                                                            : failed(0);
  }
  session_.begin_trigger();
  bool is_done = false;
  bool was_refused = false;
  {
    RefusedLocks refused(thd);
    is_done = release::run_triggers(triggers, thd, event, time, old_is_beside);
    was_refused = refused.any() && !session_.waits_for_locks();
  }
  session_.end_trigger();
  if (is_done && !was_refused && !thd->is_error()) return {};
  return failed(was_refused || ends_with_timeout(thd) ? HA_ERR_LOCK_WAIT_TIMEOUT : 0);
}

Result<void> MariaCursor::fire_before(trg_event_type event) {
  if (triggers_ == nullptr || table_->triggers == nullptr) [[likely]]
    return {};
  // Triggers see generated columns as of the values that were given.
  if (table_->vfield != nullptr &&
      table_->update_virtual_fields(table_->file, VCOL_UPDATE_FOR_WRITE))
    return failed(0);
  if (auto fired = fire(event, TRG_ACTION_BEFORE); !fired) return fired;
  if (nulls_remain()) return failed(0);
  return {};
}

// As not_null_fields_have_null_values() of sql_base.cc, which is static.
bool MariaCursor::nulls_remain() {
  Field** const fields = table_->field;
  Field** const filled = table_->field_to_fill();
  if (filled == fields) return false;
  THD* thd = session_.thd();
  for (uint i = 0; i < table_->s->fields; ++i) {
    Field* const field = fields[i];
    Field* const given = filled[i];
    if (given == field) continue;
    std::swap(field->flags, given->flags);
    if (!given->is_real_null()) continue;
    uint number = ER_BAD_NULL_ERROR;
    if ((given->flags & NO_DEFAULT_VALUE_FLAG) && !given->has_explicit_value()) {
      number = ER_NO_DEFAULT_FOR_FIELD;
      thd->count_cuted_fields = CHECK_FIELD_WARN;
    }
    given->set_notnull();
    if (convert_null_to_field_value_or_error(field, number) || thd->is_error()) return true;
  }
  return false;
}

}  // namespace hs::mariadb
