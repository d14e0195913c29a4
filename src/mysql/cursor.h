// SPDX-License-Identifier: GPL-2.0-only
// One opened index on one session: the resolved names, and the buffers that keys and rows pass
// through.
//
// It is open while the session has the table's metadata lock: the names mean the same then. It is bound
// while it has a TABLE: on the read port all the time, on the write port in a statement.
#pragma once

#include "mysql/server_headers.h"
// (before anything else)
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapter/expiring_cursor.h"
#include "columns/expired_rows.h"
#include "columns/expiry.h"
#include "columns/filter.h"
#include "columns/index_search.h"
#include "columns/rows_aside.h"
#include "columns/text.h"
#include "engine/account.h"
#include "engine/cursor.h"
#include "mysql/account.h"
#include "mysql/process_entry.h"

class Trigger_chain;

namespace hs::in_server {
class GeneratedId;
}

namespace hs::mysql {

using in_server::GeneratedId;

class MysqlSession;
class NullableFields;

class MysqlCursor final : public engine::Cursor, public adapter::ExpiringCursor {
 public:
  MysqlCursor(MysqlSession& session, engine::IndexSpecPtr spec);
  ~MysqlCursor() override;

  // --- for the session ---

  const engine::IndexSpecPtr& spec() const { return spec_; }
  const ProcessEntry::Subject& subject() const { return subject_; }
  // As in the server's file names.
  const std::string& database() const { return database_; }
  const std::string& table() const { return table_name_; }
  bool is_open() const { return is_open_; }
  // Opens the table, looks up the names, and binds the cursor. See open_table.cc.
  Result<void> open();
  // After an open() that failed: whether it may succeed once the session has given back its tables.
  bool may_open_again() const { return may_open_again_; }
  // If so, does what the server does before it opens the table again: one that crashed is repaired.
  // In the statement that has failed to open it, when nothing of that is left.
  void recover_failed_open();
  // The TABLE and its metadata lock are gone.
  void forget_table();
  // The TABLE is gone (closed by the session).
  void unbind();
  // Whether another connection waits until every old version of the table is closed (FLUSH TABLES).
  bool is_flushed() const { return table_ != nullptr && table_->s->has_old_version(); }
  // Appends the metadata locks that the open table came with. May throw std::bad_alloc.
  void list_locks(std::vector<MDL_ticket*>& locks) const {
    locks.insert(locks.end(), locks_.begin(), locks_.end());
  }

  // Whether there is such a table for the account, as far as its privileges say. Before open().
  bool is_seen_by(Principal& principal) const;
  // The account's rights, as of half a second before `now_ms` at most. While it is open. Valid until
  // the next call.
  const engine::Rights& rights_of(Principal& principal, int64_t now_ms) {
    if (const engine::Rights* const kept = rights_.find(principal.id, now_ms)) return *kept;
    return ask_for_rights(principal, now_ms);
  }

  // Whether changes of the table can be undone, with all that its triggers have written. Known for
  // certain in a statement only.
  bool can_undo() const { return can_undo_; }
  // True when a change of one row that fails leaves nothing behind, whatever else the statement has
  // changed.
  bool undoes_rows() const override { return undoes_rows_; }
  // The read port's lock. False: it was not granted, and an error is raised in the THD.
  bool lock_for_read();
  void unlock_read();
  // The write port's statement: opens the table with all that its changes reach, locks it, and binds
  // the cursor. `plainly`: it is read as by a plain SELECT. False: as in lock_for_read().
  bool lock_for_write(engine::Access access, bool plainly);
  // The statement goes on under the query id that the THD has now.
  void take_query_id() { table_->query_id = table_->in_use->query_id; }
  // The statement is over, and its tables are about to be closed.
  void end_statement();

  // Whether a new row's defaults depend on who inserts it.
  bool names_client() const { return names_client_; }
  // Whether the open statement may run triggers, of this table or of one that its changes reach.
  bool runs_triggers() const { return runs_triggers_; }

  // --- adapter::ExpiringCursor ---

  Result<bool> seek_expired(std::string_view from) override;
  Result<bool> next_expired() override;
  std::string_view place_of_expired() override;
  std::string_view place_of_now() override;
  std::string_view row_of_expired() override;
  int64_t seconds_expired() override;
  Result<void> erase_expired() override;

  // --- engine::Cursor ---

  size_t key_parts() const override { return search_.parts(); }
  size_t columns() const override { return spec_->columns.size(); }
  Counting counting(size_t column) const override { return countings_[column]; }
  double real(size_t column) override { return columns_[column]->val_real(); }
  Result<bool> seek(KeyOperator op, std::span<const Value> key) override;
  Result<bool> next() override;
  Result<std::span<const Value>> row() override;
  std::string_view position() override { return search_.position(); }
  Result<bool> seek_position(std::string_view position) override;
  Result<bool> keeps_key(std::span<const Value> key) override;
  Result<Inserted> insert(std::span<const Value> values) override;
  Result<Inserted> put(std::span<const Value> values, std::optional<std::span<const Value>> updates,
                       RowsInTheWay* in_the_way) override;
  Result<void> set_filters(std::span<const Filter> filters) override {
    return columns::make_filters(filter_columns_, filters, &filters_);
  }
  bool passes(size_t number) override { return filters_[number].passes(); }
  Result<Updated> update(std::span<const Assignment> assignments) override;
  Result<void> erase() override;
  uint64_t definition() const override { return definition_; }
  Result<std::optional<int64_t>> expires_at() override;
  Result<Value> moment(std::optional<int64_t> seconds) override;

 private:
  // open_table.cc
  void init_list(thr_lock_type lock);
  Error open_failed();
  const engine::Rights& ask_for_rights(Principal& principal, int64_t now_ms);
  Result<void> check_table() const;
  Result<void> resolve();
  void bind(TABLE* table);
  bool changes_rows_at_one_go() const;
  Result<uint> find_index() const;
  Result<uint> find_column(const std::string& name) const;
  Result<void> find_columns(const std::vector<std::string>& names,
                            std::vector<uint>& numbers) const;
  void mark_read_columns();
  void mark_key_columns();
  void set_read_columns();
  // expired_rows.cc
  enum class Way : uint8_t { kFree, kBlocked, kMovedOn };
  Result<void> take_expiry();
  Result<bool> landed_on_expired(int error);
  bool is_absent();
  void note_updated_place();
  Result<void> reach_children();
  Result<bool> give_way(int error);
  Result<bool> erase_if_expired();
  Result<Way> give_way_to_update(int error);
  Result<Way> clear_way_for_update();
  bool takes_unique_value(uint number);
  Result<Way> return_to_updated();
  // write.cc
  bool set_write_columns(engine::Access access);
  Result<void> store(Field* field, const Value& value, std::optional<double> addend = {});
  Result<void> mark_insert_columns(size_t count, size_t updated);
  Result<void> make_new_row(std::span<const Value> values, size_t updated);
  Result<bool> compute_updated_row(Trigger_chain* triggers, NullableFields& nullable);
  // kSame: the engine finds no difference. kNot: the row is gone, or another one than in record[1].
  enum class Written : uint8_t { kChanged, kSame, kNot };
  Result<Written> write_updated_row();
  Result<Updated> look_again();
  Result<void> check_new_row();
  Result<void> check_parents();
  Result<void> fill_new_row(std::span<const Value> values);
  Result<void> fill_new_row_for(Trigger_chain& triggers, std::span<const Value> values);
  bool compute_defaults();
  bool compute_generated(bool keeps_old);
  Result<void> compute_old_row();
  Error take_error(int number);
  Result<void> failed(int number);
  bool has_auto_increment() const { return table_->found_next_number_field != nullptr; }
  // triggers.cc
  void note_opened();
  Trigger_chain* triggers_before(enum_trigger_event_type event) const;
  bool mark_trigger_columns(enum_trigger_event_type event);
  Result<void> fire(enum_trigger_event_type event, enum_trigger_action_time_type time,
                    bool old_is_beside);
  Result<void> fire_before(enum_trigger_event_type event, Trigger_chain& triggers);
  Result<void> check_nulls();
  // put.cc
  void begin_puts();
  void end_puts();
  Result<Inserted> end_insert(GeneratedId& id, uint64_t replaced);
  Result<int> write_new_row(GeneratedId& id);
  Result<std::optional<Inserted>> try_put(std::span<const Value> values,
                                          std::optional<std::span<const Value>> updates,
                                          RowsInTheWay* in_the_way);
  Result<void> meet_duplicate(int write_error, RowsInTheWay* in_the_way);
  Result<void> read_duplicate(int write_error);
  Result<int> read_by_duplicate_key();
  Result<std::optional<Inserted>> update_duplicate(std::span<const Value> values,
                                                   std::optional<std::span<const Value>> updates,
                                                   GeneratedId& id);
  Result<Inserted> replace(RowsInTheWay* in_the_way, GeneratedId& id);
  Result<void> erase_replaced();

  void end_index() { search_.end(); }
  void read_key_columns();
  Result<bool> landed(int error);

  MysqlSession& session_;
  const engine::IndexSpecPtr spec_;
  std::string database_, table_name_;  // as in the server's file names (lower_case_table_names)
  const ProcessEntry::Subject subject_;

  KeptRights rights_;

  std::optional<Table_ref> list_;
  std::vector<MDL_ticket*> locks_;  // of the table, and of those that its changes reach
  bool is_open_ = false;
  std::optional<Open_table_context> opening_;  // of the last open()
  bool may_open_again_ = false;
  TABLE* table_ = nullptr;
  MYSQL_LOCK* read_lock_ = nullptr;
  // While it is open:
  columns::IndexSearch search_;
  uint64_t definition_ = 0;
  columns::Expiry expiry_;
  bool can_undo_ = false;
  bool undoes_rows_ = false;
  bool names_client_ = false;
  bool runs_triggers_ = false;
  std::vector<uint> column_numbers_, filter_numbers_;  // of the table's columns
  std::vector<std::string> key_names_;                 // of the index's columns
  std::vector<Counting> countings_;                    // of the opened columns
  // While it is bound:
  std::vector<Field*> columns_;
  std::vector<Field*> filter_columns_;
  std::vector<columns::FieldText> texts_;
  std::vector<Value> row_;
  std::vector<columns::ColumnFilter> filters_;

  engine::Access access_ = engine::Access::kRead;  // of the statement that writes
  // How many are marked for the statement's inserts, and for updates of rows that are there already.
  std::optional<std::pair<size_t, size_t>> insert_columns_;
  std::unique_ptr<columns::RowsAside> rows_aside_;
  std::string updated_place_;      // of the row that is being updated, where rows expire
  std::string place_;              // see place_of_expired()
  std::string expired_row_;        // see row_of_expired()
  columns::MomentToStore moment_;  // what moment() gave last
  std::vector<bool> given_;        // the table's columns that the request has given values for
  std::vector<uchar> unique_key_;  // room for a key of any unique index
  uint duplicate_key_ = 0;         // the unique index that has refused the last row

  bool changes_ = false;  // the statement's requests change rows
  bool reads_key_columns_ = false;
};

}  // namespace hs::mysql
