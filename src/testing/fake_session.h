// The fake engine's session and cursor: how transactions and positions work on tables in memory.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/assert.h"
#include "engine/engine.h"
#include "testing/condition.h"
#include "testing/fake_engine.h"
#include "testing/table.h"

namespace hs::testing {

class FakeSession;

class FakeCursor : public engine::Cursor {
 public:
  // Looks the names of `spec` up in `table`. Null: one is unknown, and *error is set.
  static std::unique_ptr<FakeCursor> make(FakeSession& session, const engine::IndexSpec& spec,
                                          std::shared_ptr<Table> table, ErrorCode* error);

  size_t key_parts() const override { return index_->columns.size(); }
  size_t columns() const override { return columns_.size(); }
  Counting counting(size_t column) const override;
  double real(size_t column) override;
  Result<bool> seek(KeyOperator op, std::span<const Value> key) override;
  Result<bool> next() override;
  Result<std::span<const Value>> row() override;
  Result<void> set_filters(std::span<const Filter> filters) override;
  bool passes(size_t number) override;
  void begin_count(bool with_filters) override;
  void end_count() override;
  std::string_view position() override;
  Result<bool> seek_position(std::string_view position) override;
  Result<bool> keeps_key(std::span<const Value> key) override;
  Result<Inserted> insert(std::span<const Value> values) override;
  Result<Inserted> put(std::span<const Value> values, std::optional<std::span<const Value>> updates,
                       RowsInTheWay* in_the_way) override;
  Result<Updated> update(std::span<const Assignment> assignments) override;
  Result<void> erase() override;
  uint64_t definition() const override { return table_->definition(); }
  Result<std::optional<int64_t>> expires_at() override;
  Result<Value> moment(std::optional<int64_t> seconds) override;

  const std::shared_ptr<Table>& table() const { return table_; }

 private:
  FakeCursor(FakeSession& session, std::shared_ptr<Table> table)
      : session_(session), table_(std::move(table)) {}

  using Entries = std::set<Entry, EntryLess>;
  bool descending() const {
    return backwards_ || op_ == KeyOperator::kLess || op_ == KeyOperator::kLessOrEqual;
  }
  // Goes to the entry at `at`, or with a descending operator to the one before it.
  bool arrive(Entries::const_iterator at);
  bool arrive_before(Entries::const_iterator at);
  bool stand_on(const Entry& entry);
  bool is_absent(RowId row) const;
  Result<void> update_row(std::span<const size_t> into, std::span<const Value> values);
  bool gives_way(const Error& error);
  bool meets_key(const Row& row) const;
  std::span<const Value> values_of(const Row& row);
  Result<bool> update_duplicate(std::span<const Value> values, bool keeps_id);

  FakeSession& session_;
  std::shared_ptr<Table> table_;
  const Table::Index* index_ = nullptr;
  std::vector<size_t> columns_;
  std::vector<size_t> filter_columns_;

  KeyOperator op_ = KeyOperator::kEqual;  // never kEqualDescending:
  bool backwards_ = false;                // with kEqual, from the last row on
  Row key_;                               // of the last seek
  Entry entry_;                           // where the scan is, even when its row is gone
  RowId row_ = 0;                         // the current row, 0 = none
  std::vector<std::pair<size_t, Condition>> filters_;  // each with the column that it is on
  enum class Counts : uint8_t { kNo, kByFilters, kAll } counts_ = Counts::kNo;
  std::string position_;            // for position()
  std::string moment_;              // for moment()
  std::vector<std::string> texts_;  // for row()
  std::vector<Value> values_;       // views of texts_
};

class FakeAccount : public engine::Account {
 public:
  explicit FakeAccount(std::string_view user) : user_(user) {}
  const std::string& user() const { return user_; }

 private:
  const std::string user_;
};

class FakeSession : public engine::Session {
 public:
  FakeSession(FakeEngine& engine, engine::Mode mode) : engine_(engine), mode_(mode) {}
  ~FakeSession() override;

  void enter(engine::SessionEvents events) override;
  void leave() override;

  void act_for(const engine::Account* account) override;
  const engine::Rights& rights(engine::Cursor& cursor) override;
  Result<void> open(const engine::IndexSpecPtr& spec) override;
  Result<void> describe(const engine::Described& what, engine::DescriptionRows& rows) override;
  Result<mapping::TableShape> shape(std::string_view database, std::string_view table) override;
  bool sees(std::string_view database, std::string_view table) override;
  void look_for_news(bool thorough, mapping::TableNews& news) override;
  Result<engine::Cursor*> cursor(const engine::IndexSpecPtr& spec) override;
  bool is_open(const engine::IndexSpecPtr&) const override { return here(true); }
  bool can_undo(const engine::IndexSpecPtr&) const override { return here(true); }
  Result<void> begin_request(engine::Cursor& cursor, engine::Access access,
                             engine::Rows rows) override;
  Result<void> end_request() override;
  void undo_request() override;
  bool must_wait() const override { return here(must_wait_); }
  uint32_t patience_ms() const override { return here(in_transaction_ ? kPatienceMs : 0U); }
  void begin_waiting(uint32_t) override { may_wait_ = here(true); }
  void end_waiting() override { may_wait_ = here(false); }
  bool transaction_lost() const override { return here(false); }
  bool reads_again_alike() const override { return here(!reads_uncommitted_); }
  Result<void> begin_transaction(const engine::TransactionOptions& options) override;
  Result<void> set_savepoint(std::string_view name) override;
  Result<void> roll_back_to(std::string_view name) override;
  Result<void> commit() override;
  void rollback() override;
  engine::Gtid last_gtid() const override { return here(last_gtid_); }
  bool has_binary_log() const override;
  Result<bool> has_applied(std::string_view gtids, engine::GtidMark& mark) override;
  bool has_uncommitted_changes() const override { return here(!undo_.empty()); }
  bool after_batch() override { return here(false); }
  bool is_waited_for() const override { return here(false); }
  void release() override { here(); }
  bool should_stop() const override { return false; }

 private:
  friend class FakeCursor;

  // A row as it was before one change.
  struct Undo {
    std::shared_ptr<Table> table;
    RowId row = 0;
    std::optional<Row> old;  // none: there was no such row
  };
  struct Opened {
    std::weak_ptr<const engine::IndexSpec> spec;
    std::unique_ptr<FakeCursor> cursor;
  };

  // Asserts that the call comes from the session's thread. In every function but those that may be
  // called from any thread.
  template <class T = bool>
  T here(T result = {}) const {
    HS_ASSERT(thread_ == std::this_thread::get_id());
    return result;
  }
  static constexpr uint32_t kPatienceMs = 60'000;
  // A place in the client's transaction.
  struct Savepoint {
    std::string name;  // in small letters
    size_t changes;    // in undo_
  };
  std::vector<Savepoint>::iterator find_savepoint(std::string_view name);
  std::vector<std::vector<std::optional<std::string>>> description(const engine::Described& what);
  bool sees_locked(std::string_view database, std::string_view table);
  Result<FakeCursor*> find_cursor(const engine::IndexSpecPtr& spec);
  bool lock_as_writer(std::unique_lock<std::mutex>& lock);
  void undo_down_to(size_t size);
  void name_change();
  void forget_changes();

  FakeEngine& engine_;
  const engine::Mode mode_;
  std::thread::id thread_;  // that the session is in
  const FakeAccount* account_ = nullptr;
  engine::Rights rights_;  // for rights()
  std::unordered_map<const engine::IndexSpec*, Opened> cursors_;
  FakeCursor* request_ = nullptr;  // the cursor of the running request
  engine::Access access_ = engine::Access::kRead;
  size_t request_start_ = 0;  // in undo_
  std::vector<Undo> undo_;
  engine::Gtid last_gtid_;
  engine::SessionEvents events_;
  bool reads_uncommitted_ = false;
  bool in_transaction_ = false;  // between begin_transaction() and its end
  bool may_wait_ = false;
  bool must_wait_ = false;
  std::vector<Savepoint> savepoints_;
};

}  // namespace hs::testing
