// SPDX-License-Identifier: GPL-2.0-only
// One opened index on one session. It has a TABLE of its own, so that index, column set and row
// template stay as they are between requests. It also has the resolved columns, and the buffers
// that keys and rows pass through.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "adapter/expiring_cursor.h"
#include "columns/expired_rows.h"
#include "columns/expiry.h"
#include "columns/filter.h"
#include "columns/index_search.h"
#include "columns/kinds.h"
#include "columns/rows_aside.h"
#include "columns/text.h"
#include "engine/cursor.h"
#include "mariadb/account.h"
#include "mariadb/cluster_part.h"
#include "mariadb/foreign_keys.h"
#include "mariadb/process_entry.h"
#include "mariadb/trigger_tables.h"

namespace hs::in_server {
class GeneratedId;
}

namespace hs::mariadb {

using in_server::GeneratedId;

class MariaSession;

class MariaCursor final : public engine::Cursor, public adapter::ExpiringCursor {
 public:
  MariaCursor(MariaSession& session, engine::IndexSpecPtr spec);
  ~MariaCursor() override;

  // --- for the session ---

  const engine::IndexSpecPtr& spec() const { return spec_; }
  const ProcessEntry::Subject& subject() const { return subject_; }
  bool is_open() const { return table_ != nullptr; }
  // Opens the table and looks up the names. See open_table.cc.
  Result<void> open();
  // Does what the server needs before it can try again to open the table (repairs a crashed table,
  // discovers a new one). Call it after an open() that failed with an engine error, while the
  // session has no table open, and before the statement's memory is freed.
  void recover_failed_open();
  // The TABLE is gone (closed by the session).
  void forget_table();
  // Whether another connection waits for the table: for a lock that conflicts with this one (ALTER,
  // DROP, LOCK TABLES), or until every old version of the table is closed (after FLUSH TABLES).
  bool is_waited_for() const {
    return table_->needs_reopen() || table_->s->tdc->flushed ||
           list_.mdl_request.ticket->has_pending_conflicting_lock() || children_.is_waited_for() ||
           (triggers_ != nullptr && triggers_->is_waited_for());
  }

  // Appends the metadata locks that the open table came with. May throw std::bad_alloc.
  void list_locks(std::vector<MDL_ticket*>& locks) const;

  // Whether the table is only to be kept open for one batch.
  bool is_provisional() const { return triggers_ != nullptr && triggers_->lacks_tables(); }

  // A change was refused, or a trigger's would be, because it would reach tables that are not open
  // with this one.
  bool lacks_children() const {
    return lacks_children_ || (triggers_ != nullptr && !triggers_->is_complete());
  }
  // Whether the table has triggers, which run with its changes. Only on the write port.
  bool has_triggers() const { return triggers_ != nullptr; }

  // Whether there is such a table for the account, as far as its privileges say. Before open().
  bool is_seen_by(Principal& principal) const;
  // The account's rights, as of less than Privileges::kKeepMs before `now_ms`. While the table is
  // open. Valid until the next call.
  const AccountRights& rights_of(Principal& principal, int64_t now_ms) {
    if (const AccountRights* const kept = rights_.find(principal.id, now_ms)) return *kept;
    return ask_for_rights(principal, now_ms);
  }

  const TABLE_SHARE& share() const { return *table_->s; }
  bool locks_in_engine() const { return locks_in_engine_; }
  // Whether its changes reach the other nodes of a Galera cluster.
  bool is_replicated() const { return ClusterPart::replicates(*table_->file->partition_ht()); }
  // Whether its rows are on another server.
  bool is_remote() const { return is_remote_; }
  // Whether the engine can do this. Those of other servers do not tell which row is in the way of a new one,
  // or that there is any.
  bool allows(engine::Access access) const {
    return !is_remote_ || !engine::inserts(access) || access == engine::Access::kInsert;
  }
  bool can_undo() const { return table_->file->has_transactions_and_rollback(); }
  // True when a change of one row that fails leaves nothing behind, whatever else the statement has
  // changed.
  bool undoes_rows() const override { return undoes_rows_; }
  // The read port's lock. False: it was not granted, and an error is raised in the THD.
  bool lock_for_read();
  void unlock_read();
  // The write port's lock, for one statement. False: as in lock_for_read().
  bool lock_for_write(engine::Access access);
  // After the statement was kept or undone, and before its tables are unlocked.
  void leave_triggers();
  // For a read of a client's transaction on the write port, for one statement: as a plain SELECT.
  // False: as in lock_for_read().
  bool lock_for_view();
  // The statement goes on under the query id that the THD has now.
  void take_query_id();
  void end_index() { search_.end(); }
  // The statement that lock_for_write() has begun is over. Before its locks are given back.
  void end_statement();
  // Drops what SQL's query cache has of the table, since it is no longer true.
  void invalidate_query_cache();
  MDL_ticket* ticket() const { return list_.mdl_request.ticket; }
  enum_mdl_type protection_type() const;

  // --- adapter::ExpiringCursor ---

  Result<bool> seek_expired(std::string_view from) override;
  Result<bool> next_expired() override;
  std::string_view place_of_expired() override;
  std::string_view place_of_now() override;
  std::string_view row_of_expired() override;
  bool pass_over_history() override;
  int64_t seconds_expired() override { return expiry_.seconds_since(table_->in_use); }
  Result<void> erase_expired() override { return erase(); }

  // --- engine::Cursor ---

  size_t key_parts() const override { return search_.parts(); }
  size_t columns() const override { return spec_->columns.size(); }
  Counting counting(size_t column) const override { return columns::counting_on(columns_[column]); }
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
  Result<void> set_filters(std::span<const Filter> filters) override;
  bool passes(size_t number) override { return filters_[number].passes(); }
  void begin_count(bool with_filters) override;
  void end_count() override { counts_ = false; }
  Result<Updated> update(std::span<const Assignment> assignments) override;
  Result<void> erase() override;
  uint64_t definition() const override { return definition_; }
  Result<std::optional<int64_t>> expires_at() override;
  Result<Value> moment(std::optional<int64_t> seconds) override;

 private:
  const AccountRights& ask_for_rights(Principal& principal, int64_t now_ms);
  // open_table.cc
  Error open_failed(bool try_again) const;
  void init_list();
  Result<void> open_list();
  Result<void> open_with_triggers();
  Result<void> check_table() const;
  bool is_in_index(const Field* field) const;
  Result<void> take_expiry();
  Result<bool> give_way(int error, std::string_view updated);
  enum class Way : uint8_t { kBlocked, kFree, kMovedOn };
  Result<Way> give_way_to_update(int error);
  Result<Way> return_to_updated();
  void choose_covering_index();
  bool changes_rows_at_one_go() const;
  Result<void> resolve();
  Result<uint> find_index() const;
  Result<Field*> find_column(const std::string& name) const;
  void mark_read_columns();
  void mark_columns_of_presence();
  void mark_key_columns();
  void set_read_columns();
  void read_all_columns();
  bool covers_count(bool with_filters) const;
  void set_write_columns(engine::Access access);
  // triggers.cc
  bool lock_tables_for(engine::Access access);
  Field* to_fill(Field* field) const;
  Result<void> fire(trg_event_type event, trg_action_time_type time) {
    return fire(event, time, event != TRG_EVENT_DELETE);
  }
  Result<void> fire(trg_event_type event, trg_action_time_type time, bool old_is_beside);
  Result<void> fire_before(trg_event_type event);
  bool nulls_remain();
  // write.cc
  Result<void> mark_insert_columns(size_t count, size_t updated);
  Result<void> make_new_row(std::span<const Value> values, size_t updated);
  Result<void> compute_updated_row(bool makes_history);
  enum class Written : uint8_t { kChanged, kSame, kNot };
  Result<Written> write_updated_row(bool makes_history);
  Result<Updated> look_again();
  Result<void> end_update(bool differs, bool fires);
  bool is_versioned(const Field* field) const;
  bool has_auto_increment() const { return table_->found_next_number_field != nullptr; }
  Result<void> keep_past_row();
  Result<void> check_children();
  Result<void> store(Field* field, const Value& value, std::optional<double> addend = {});
  Result<void> erase_versioned();
  Error take_error(int number);
  Result<void> failed(int number);
  // put.cc
  bool allows_puts();
  void log_whole_rows();
  bool begin_puts();
  Result<Inserted> end_insert(GeneratedId& id, uint64_t replaced);
  Result<int> write_new_row(GeneratedId& id);
  Result<void> meet_duplicate(int write_error, RowsInTheWay* in_the_way);
  Result<void> read_duplicate(int write_error, std::string_view updated = {});
  int read_row_of_key(uint key, uchar* record);
  int read_overlapping_row(uint key, uchar* record, std::string_view updated);
  Result<std::optional<Inserted>> try_put(std::span<const Value> values,
                                          std::optional<std::span<const Value>> updates,
                                          RowsInTheWay* in_the_way);
  Result<std::optional<Inserted>> update_duplicate(std::span<const Value> values,
                                                   std::optional<std::span<const Value>> updates,
                                                   GeneratedId& id);
  Result<Inserted> replace(RowsInTheWay* in_the_way, GeneratedId& id);
  Result<void> erase_replaced();

  void read_key_columns();
  Result<bool> landed(int error);
  Result<bool> landed_on_expired(int error);
  bool is_history() const;
  // Whether the current row is not there for clients.
  bool is_absent() { return is_history() || expiry_.has_passed(table_->in_use); }

  MariaSession& session_;
  const engine::IndexSpecPtr spec_;
  std::string database_, table_name_;  // as in the server's file names (lower_case_table_names)
  const ProcessEntry::Subject subject_;

  TABLE_LIST list_;
  ForeignKeyChildren children_;  // none where triggers_ has them
  bool lacks_children_ = false;
  std::unique_ptr<TriggerTables> triggers_;    // null: the table has no triggers, or is only read
  std::optional<Open_table_context> opening_;  // of the last open()
  TABLE* table_ = nullptr;
  MYSQL_LOCK* read_lock_ = nullptr;
  columns::IndexSearch search_;
  bool is_remote_ = false;
  bool is_spider_ = false;
  bool covering_ = false;  // the index alone has all columns that are read
  // False: the table also needs the server's own table locks (MyISAM, Aria, MEMORY).
  bool locks_in_engine_ = true;
  bool undoes_rows_ = false;
  engine::Access access_ = engine::Access::kRead;  // of the statement that writes
  // How many are marked for the statement's inserts, and for updates of rows that are there already.
  std::optional<std::pair<size_t, size_t>> insert_columns_;
  bool puts_ = false;              // the engine knows what becomes of duplicates in the statement
  std::vector<uchar> unique_key_;  // room for a key of any unique index
  std::string place_;              // see place_of_expired()
  std::string expired_row_;        // see row_of_expired()
  std::string updated_place_;      // of the row that is being updated, where rows expire
  std::unique_ptr<columns::RowsAside>
      rows_aside_;          // of the last update that a row has given way to
  uint duplicate_key_ = 0;  // the unique index that has refused the last row
  columns::Expiry expiry_;
  columns::MomentToStore moment_;  // what moment() gave last
  uint64_t definition_ = 0;
  std::vector<Field*> columns_;
  std::vector<Field*> filter_columns_;
  std::vector<columns::ColumnFilter> filters_;
  std::vector<columns::FieldText> texts_;
  std::vector<Value> row_;

  bool changes_ = false;  // the statement's requests change rows
  bool reads_key_columns_ = false;
  bool counts_ = false;  // between begin_count() and end_count()
  // What the index was begun with: the opened columns, or what a count needs. It stays until
  // another request needs more.
  enum class Reads : uint8_t { kColumns, kFilters, kNothing } reads_ = Reads::kColumns;
  KeptRights rights_;
};

}  // namespace hs::mariadb
