// SPDX-License-Identifier: GPL-2.0-only
// Inserts that meet rows with the same value in a unique index: INSERT IGNORE, INSERT … ON DUPLICATE
// KEY UPDATE and REPLACE, in the order in which the server itself makes the calls (sql_insert.cc).
#include "mariadb/cursor.h"
#include "mariadb/row_stores.h"
#include "mariadb/session.h"

namespace hs::mariadb {
namespace {

constexpr uint kNoKey = static_cast<uint>(-1);

bool is_duplicate(int error) {
  return error == HA_ERR_FOUND_DUPP_KEY || error == HA_ERR_FOUND_DUPP_UNIQUE;
}

uint last_unique_of(const TABLE* table, const KEY* keys) {
  for (uint key = table->s->keys; key > 0; --key)
    if (keys[key - 1].flags & HA_NOSAME) return key - 1;
  return MAX_KEY;
}

// The unique index that is checked last. When a row is found by that one, no other row can be in the
// way. MAX_KEY: it is not known which one that is. Only the share knows of long unique columns.
uint last_unique_key(const TABLE* table) {
  if (table->s->key_info == nullptr) return MAX_KEY;
  if (table->file->ha_table_flags() & HA_DUPLICATE_KEY_NOT_IN_ORDER) return MAX_KEY;
  return (table->key_info[0].flags & HA_NOSAME) ? last_unique_of(table, table->key_info)
                                                : last_unique_of(table, table->s->key_info);
}

// Makes the fields of the table those of the row in record[1] while it lives.
class OldFields {
 public:
  explicit OldFields(TABLE* table) : table_(table) {
    table_->move_fields(table_->field, table_->record[1], table_->record[0]);
  }
  ~OldFields() { table_->move_fields(table_->field, table_->record[0], table_->record[1]); }
  OldFields(const OldFields&) = delete;
  OldFields& operator=(const OldFields&) = delete;

 private:
  TABLE* const table_;
};

}  // namespace

// False: the server has no such statement for the table, and the error is raised.
bool MariaCursor::allows_puts() {
  if (access_ != engine::Access::kUpsert && access_ != engine::Access::kReplace) return true;
  return check_duplic_insert_without_overlaps(session_.thd(), table_, DUP_UPDATE) == 0;
}

// Tells the engine what becomes of duplicates in this statement: InnoDB then locks them at once as
// rows that are to be changed. False: it failed, and the error is raised.
bool MariaCursor::begin_puts() {
  if (access_ == engine::Access::kInsert) return true;
  handler* file = table_->file;
  puts_ = true;
  if (access_ == engine::Access::kReplace) file->extra(HA_EXTRA_WRITE_CAN_REPLACE);
  if (access_ == engine::Access::kUpsert) file->extra(HA_EXTRA_INSERT_WITH_UPDATE);
  file->extra(HA_EXTRA_IGNORE_DUP_KEY);
  unique_key_.resize(table_->s->max_unique_length);
  return !(file->ha_table_flags() & HA_DUPLICATE_POS) || !file->ha_rnd_init_with_error(false);
}

// With binlog_row_image=MINIMAL or NOBLOB the server logs the columns for which values were given.
// When a row is replaced in its place, the others change, too, and a replica must know it.
void MariaCursor::log_whole_rows() {
  if (!table_->file->row_logging || table_->rpl_write_set == table_->read_set) return;
  MY_BITMAP& logged = table_->def_rpl_write_set;
  bitmap_set_all(&logged);
  for (Field** field = table_->field; *field != nullptr; ++field)
    if (!(*field)->stored_in_db()) bitmap_clear_bit(&logged, (*field)->field_index);
  table_->rpl_write_set = &logged;
}

void MariaCursor::end_statement() {
  end_index();
  if (!std::exchange(puts_, false)) return;
  table_->file->extra(HA_EXTRA_NO_IGNORE_DUP_KEY);
  table_->file->extra(HA_EXTRA_WRITE_CANNOT_REPLACE);
}

Result<engine::Cursor::Inserted> MariaCursor::put(std::span<const Value> values,
                                                  std::optional<std::span<const Value>> updates,
                                                  RowsInTheWay* in_the_way) {
  const size_t most = columns_.size();
  if (values.size() > most || (updates && updates->size() > most)) return ErrorCode::kValueCount;
  const StrictStores strict(session_.thd(), CHECK_FIELD_ERROR_FOR_NULL);
  const AutoIncrement auto_increment(table_);
  const size_t updated = access_ == engine::Access::kUpsert ? updates.value_or(values).size() : 0;
  if (auto made = make_new_row(values, updated); !made) return made.error();
  if (access_ == engine::Access::kReplace) return replace(values, in_the_way);

  handler* file = table_->file;
  const ulonglong next_id = file->next_insert_id;
  const int error = try_to_write();
  if (error == 0) {
    session_.note_change();
    return end_insert(next_id, 0);
  }
  if (!is_duplicate(error)) return put_failed(next_id, error);
  if (const Result<bool> gave_way = give_way(error); !gave_way || *gave_way) {
    file->restore_auto_increment(next_id);
    return gave_way ? put(values, updates, in_the_way) : gave_way.error();
  }
  const bool ignores = access_ == engine::Access::kInsertIgnore;
  if (!ignores || in_the_way != nullptr) {
    if (auto read = read_duplicate(error, in_the_way); !read) {
      file->restore_auto_increment(next_id);
      return read.error();
    }
  }
  if (ignores) {
    file->restore_auto_increment(next_id);
    return Inserted{has_auto_increment(), 0, 0};
  }
  return update_duplicate(values, updates, next_id);
}

// The new row was written, and has replaced so many.
Result<engine::Cursor::Inserted> MariaCursor::end_insert(ulonglong next_id, uint64_t replaced) {
  const Inserted inserted{has_auto_increment(), table_->file->insert_id_for_cur_row, 1 + replaced};
  if (auto fired = fire(TRG_EVENT_INSERT, TRG_ACTION_AFTER); !fired) {
    table_->file->restore_auto_increment(next_id);
    return fired.error();
  }
  return inserted;
}

// With READ COMMITTED the server checks long unique columns only after the engine has written the
// row. It then does not forget the one that an earlier row was a duplicate in.
int MariaCursor::try_to_write() {
  table_->file->lookup_errkey = kNoKey;
  return table_->file->ha_write_row(table_->record[0]);
}

Error MariaCursor::put_failed(ulonglong next_id, int error) {
  table_->file->restore_auto_increment(next_id);
  return failed(error).error();
}

// Reads the row that a failed write was a duplicate of into record[1].
Result<void> MariaCursor::read_duplicate(int write_error, RowsInTheWay* in_the_way) {
  duplicate_key_ = table_->file->get_dup_key(write_error);
  if (duplicate_key_ == kNoKey) return failed(HA_ERR_FOUND_DUPP_KEY);
  // The row is needed as a whole.
  table_->use_all_columns();
  if (const int error = read_row_of_key()) return failed(error);
  if (in_the_way == nullptr) return {};
  const OldFields old(table_);
  auto row = this->row();
  if (!row) return row.error();
  return in_the_way->take(*row);
}

int MariaCursor::read_row_of_key() {
  handler* file = table_->file;
  int error = 0;
  if ((file->ha_table_flags() & HA_DUPLICATE_POS) || file->lookup_errkey != kNoKey) {
    const bool begins = file->inited == handler::NONE;
    if (begins && (error = file->ha_rnd_init(false)) != 0) return error;
    error = file->ha_rnd_pos(table_->record[1], file->dup_ref);
    if (begins) file->ha_rnd_end();
  } else {
    if ((error = file->extra(HA_EXTRA_FLUSH_CACHE)) != 0) return error;
    key_copy(unique_key_.data(), table_->record[0], &table_->key_info[duplicate_key_], 0);
    error = file->ha_index_read_idx_map(table_->record[1], duplicate_key_, unique_key_.data(),
                                        HA_WHOLE_KEY, HA_READ_KEY_EXACT);
  }
  if (error != 0 || table_->vfield == nullptr) return error;
  const OldFields old(table_);
  return table_->update_virtual_fields(file, VCOL_UPDATE_FOR_REPLACE);
}

Result<engine::Cursor::Inserted> MariaCursor::update_duplicate(
    std::span<const Value> values, std::optional<std::span<const Value>> updates,
    ulonglong next_id) {
  handler* file = table_->file;
  Field* const id = table_->next_number_field;
  const ulonglong generated_id = file->insert_id_for_cur_row;
  restore_record(table_, record[1]);
  table_->reset_default_fields();
  // A generated id would give the row a new identity each time.
  const Field* const kept = !updates && generated_id != 0 ? id : nullptr;
  const std::span<const Value> news = updates.value_or(values);
  bool sets_any = false;
  bool sets_id = false;
  bool makes_history = false;
  for (size_t i = 0; i < news.size(); ++i) {
    Field* const field = columns_[i];
    if (field == kept) continue;
    if (auto stored = store(to_fill(field), news[i]); !stored) {
      file->restore_auto_increment(next_id);
      return stored.error();
    }
    sets_any = true;
    sets_id |= field == id;
    makes_history |= is_versioned(field);
  }
  // SQL has no such statement: nothing is set, so no row of a table is changed, whatever it keeps of
  // the past.
  if (!sets_any) {
    file->restore_auto_increment(next_id);
    return Inserted{has_auto_increment(), 0, 0};
  }
  if (auto computed = compute_updated_row(makes_history); !computed) {
    file->restore_auto_increment(next_id);
    return computed.error();
  }
  // As in SQL a row that stays as it is must meet the constraints, too.
  const bool may_differ = !records_are_comparable(table_) || compare_record(table_);
  if (table_->verify_constraints(false) != VIEW_CHECK_OK) return put_failed(next_id, 0);
  file->restore_auto_increment(next_id);
  Inserted updated{has_auto_increment(), 0, 0};
  if (may_differ) {
    auto written = write_updated_row(makes_history);
    if (!written) return written.error();
    if (*written) updated.outcome = 2;
    file->insert_id_for_cur_row = 0;
  }
  if (auto ended = end_update(updated.outcome == 2); !ended) {
    file->restore_auto_increment(next_id);
    return ended.error();
  }
  if (id != nullptr && updated.outcome == 2)
    updated.generated_id = static_cast<uint64_t>(id->val_int());
  if (sets_id) {
    file->adjust_next_insert_id_after_explicit_value(static_cast<ulonglong>(id->val_int()));
  } else if (may_differ && generated_id != 0) {
    file->restore_auto_increment(generated_id);
  }
  return updated;
}

// Removes what is in the way until the row can be written. Where no other row can be in the way and
// nothing else depends on the old one, that one becomes the new one.
Result<engine::Cursor::Inserted> MariaCursor::replace(std::span<const Value> values,
                                                      RowsInTheWay* in_the_way) {
  handler* file = table_->file;
  const ulonglong next_id = file->next_insert_id;
  const uint last_key = last_unique_key(table_);
  const bool deletes_visibly =
      table_->triggers != nullptr && table_->triggers->has_delete_triggers();
  const bool may_update =
      !file->referenced_by_foreign_key() && !table_->versioned() && !deletes_visibly;
  // A second write finds the id in the row, and takes it for a given one.
  ulonglong generated_id = 0;
  uint64_t replaced = 0;
  while (const int error = try_to_write()) {
    if (file->insert_id_for_cur_row > 0) generated_id = file->insert_id_for_cur_row;
    if (!is_duplicate(error)) return put_failed(next_id, error);
    // When all ids are used up, the last row must not be replaced again and again.
    if (table_->next_number_field != nullptr && generated_id > 0 &&
        file->get_dup_key(error) == table_->s->next_number_index)
      return put_failed(next_id, error);
    if (const Result<bool> gave_way = give_way(error); !gave_way || *gave_way) {
      if (!gave_way) return gave_way.error();
      if (auto made = make_new_row(values, 0); !made) return made.error();
      continue;
    }
    if (auto read = read_duplicate(error, in_the_way); !read) {
      file->restore_auto_increment(next_id);
      return read.error();
    }
    if (auto checked = check_children(); !checked) return checked.error();
    if (may_update && duplicate_key_ == last_key) {
      const int failure = file->ha_update_row(table_->record[1], table_->record[0]);
      if (failure != 0 && failure != HA_ERR_RECORD_IS_THE_SAME) return put_failed(next_id, failure);
      if (failure == 0) ++replaced;
      break;
    }
    if (auto erased = erase_replaced(); !erased) {
      file->restore_auto_increment(next_id);
      return erased.error();
    }
    ++replaced;
  }
  session_.note_change();
  if (file->insert_id_for_cur_row == 0) file->insert_id_for_cur_row = generated_id;
  return end_insert(next_id, replaced);
}

// Erases the row in record[1].
Result<void> MariaCursor::erase_replaced() {
  if (auto fired = fire(TRG_EVENT_DELETE, TRG_ACTION_BEFORE, true); !fired) return fired;
  if (const int error = table_->delete_row<true>(table_->versioned(VERS_TIMESTAMP)))
    return failed(error);
  session_.note_change();
  return fire(TRG_EVENT_DELETE, TRG_ACTION_AFTER, true);
}

}  // namespace hs::mariadb
