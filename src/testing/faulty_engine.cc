#include "testing/faulty_engine.h"

#include <algorithm>
#include <unordered_map>

#include "testing/engine_numbers.h"

namespace hs::testing {
class FaultySession;

class FaultyCursor : public engine::Cursor {
 public:
  explicit FaultyCursor(FaultySession& session) : session_(session) {}

  void wrap(engine::Cursor* inner, const std::string& table) {
    inner_ = inner;
    table_ = &table;
  }
  const std::string& table() const { return *table_; }
  engine::Cursor& inner() { return *inner_; }

  size_t key_parts() const override { return inner_->key_parts(); }
  size_t columns() const override { return inner_->columns(); }
  Counting counting(size_t column) const override { return inner_->counting(column); }
  double real(size_t column) override { return inner_->real(column); }
  Result<bool> seek(KeyOperator op, std::span<const Value> key) override;
  Result<bool> next() override;
  Result<std::span<const Value>> row() override;
  Result<void> set_filters(std::span<const Filter> filters) override;
  bool passes(size_t number) override { return inner_->passes(number); }
  void begin_count(bool with_filters) override { inner_->begin_count(with_filters); }
  void end_count() override { inner_->end_count(); }
  std::string_view position() override { return inner_->position(); }
  Result<bool> seek_position(std::string_view position) override;
  Result<Inserted> insert(std::span<const Value> values) override;
  Result<Inserted> put(std::span<const Value> values, std::optional<std::span<const Value>> updates,
                       RowsInTheWay* in_the_way) override;
  Result<Updated> update(std::span<const Assignment> assignments) override;
  Result<void> erase() override;
  uint64_t definition() const override { return inner_->definition(); }
  Result<std::optional<int64_t>> expires_at() override { return inner_->expires_at(); }
  Result<Value> moment(std::optional<int64_t> seconds) override { return inner_->moment(seconds); }

 private:
  FaultySession& session_;
  engine::Cursor* inner_ = nullptr;
  const std::string* table_ = nullptr;
};

class FaultySession : public engine::Session {
 public:
  FaultySession(FaultyEngine& engine, std::unique_ptr<engine::Session> inner)
      : engine_(engine), inner_(std::move(inner)) {}
  ~FaultySession() override { engine_.remove_session(this); }

  void enter(engine::SessionEvents events) override {
    inner_->enter(events);
    events_ = events;
    engine_.add_session(this, events);
  }

  void leave() override {
    engine_.remove_session(this);
    events_ = {};
    inner_->leave();
  }

  // The error that `call` must fail with now, if any.
  std::optional<Error> fault(Call call) {
    auto due = engine_.count(call);
    if (!due) return std::nullopt;
    switch (due->effect) {
      case FaultyEngine::Fault::kFails:
        break;
      case FaultyEngine::Fault::kLosesTransaction:
        inner_->rollback();
        lost_ = true;
        gave_way_ = engine_.gives_way;
        break;
      case FaultyEngine::Fault::kLosesOutcome:
        outcome_unknown_ = true;
        break;
      case FaultyEngine::Fault::kRowLocked:
        if (waits_) return std::nullopt;
        must_wait_ = true;
        break;
      case FaultyEngine::Fault::kHeld:
        hold(due->wait);
        return std::nullopt;
      case FaultyEngine::Fault::kWorks:
        for (uint32_t row = 0; row < due->rows; ++row)
          if (events_.works) events_.works(events_.context, 1);
        return std::nullopt;
    }
    return std::move(due->error);
  }

  void hold(std::optional<engine::SessionEvents::Wait> what) {
    if (what && events_.wait_begins) events_.wait_begins(events_.context, *what);
    engine_.wait_until_let_go();
    if (what && events_.wait_ends) events_.wait_ends(events_.context);
  }

  void act_for(const engine::Account* account) override { inner_->act_for(account); }
  const engine::Rights& rights(engine::Cursor& cursor) override {
    return inner_->rights(static_cast<FaultyCursor&>(cursor).inner());
  }
  Result<void> open(const engine::IndexSpecPtr& spec) override {
    must_wait_ = false;
    if (auto error = fault(Call::kOpen)) return std::move(*error);
    return inner_->open(spec);
  }

  Result<void> describe(const engine::Described& what, engine::DescriptionRows& rows) override {
    must_wait_ = false;
    if (auto error = fault(Call::kDescribe)) return std::move(*error);
    return inner_->describe(what, rows);
  }

  Result<mapping::TableShape> shape(std::string_view database, std::string_view table) override {
    must_wait_ = false;
    if (auto error = fault(Call::kDescribe)) return std::move(*error);
    return inner_->shape(database, table);
  }
  bool sees(std::string_view database, std::string_view table) override {
    return inner_->sees(database, table);
  }
  void look_for_news(bool thorough, mapping::TableNews& news) override {
    inner_->look_for_news(thorough, news);
  }

  Result<engine::Cursor*> cursor(const engine::IndexSpecPtr& spec) override {
    must_wait_ = false;
    if (auto error = fault(Call::kCursor)) return std::move(*error);
    Result<engine::Cursor*> found = inner_->cursor(spec);
    if (!found) return found;
    std::unique_ptr<FaultyCursor>& cursor = cursors_[spec.get()];
    if (!cursor) cursor = std::make_unique<FaultyCursor>(*this);
    cursor->wrap(*found, spec->table);
    return static_cast<engine::Cursor*>(cursor.get());
  }

  bool is_open(const engine::IndexSpecPtr& spec) const override { return inner_->is_open(spec); }
  bool can_undo(const engine::IndexSpecPtr& spec) const override { return inner_->can_undo(spec); }

  Result<void> begin_request(engine::Cursor& cursor, engine::Access access,
                             engine::Rows rows) override {
    auto error = fault(Call::kBeginRequest);
    if (error) return std::move(*error);
    if (lost_) return Error::engine(kTransactionAborted);
    gave_way_ = outcome_unknown_ = false;
    auto& target = static_cast<FaultyCursor&>(cursor);
    if (engine_.is_locked(target.table()) && !wait_for_table()) {
      return Error::engine(kLockWaitTimeout);
    }
    return inner_->begin_request(target.inner(), access, rows);
  }

  Result<void> end_request() override {
    if (auto error = fault(Call::kEndRequest)) {
      undo_request();
      return std::move(*error);
    }
    return inner_->end_request();
  }

  void undo_request() override {
    // A lost transaction was rolled back, and the inner session's request has ended with it.
    if (!lost_) inner_->undo_request();
  }

  bool must_wait() const override { return must_wait_ || inner_->must_wait(); }
  uint32_t patience_ms() const override { return engine_.patience_ms; }
  void begin_waiting(uint32_t most_ms) override {
    waits_ = true;
    most_wait_ms_ = most_ms;
    inner_->begin_waiting(most_ms);
  }
  void end_waiting() override {
    waits_ = false;
    inner_->end_waiting();
  }
  bool transaction_lost() const override { return lost_ || inner_->transaction_lost(); }
  bool gave_way() const override { return gave_way_; }
  bool is_outcome_unknown() const override { return outcome_unknown_; }

  bool reads_again_alike() const override { return inner_->reads_again_alike(); }
  Result<void> begin_transaction(const engine::TransactionOptions& options) override {
    return inner_->begin_transaction(options);
  }
  bool takes_transactions() const override { return inner_->takes_transactions(); }
  bool may_try() const override { return inner_->may_try(); }
  Result<void> set_savepoint(std::string_view name) override { return inner_->set_savepoint(name); }
  Result<void> roll_back_to(std::string_view name) override { return inner_->roll_back_to(name); }

  Result<void> commit() override {
    must_wait_ = false;
    if (auto error = fault(Call::kCommit)) {
      inner_->rollback();
      return std::move(*error);
    }
    if (lost_) return Error::engine(kTransactionAborted);
    Result<void> committed = inner_->commit();
    (void)fault(Call::kCommitted);
    return committed;
  }

  void rollback() override {
    (void)fault(Call::kRollback);
    lost_ = must_wait_ = false;
    inner_->rollback();
  }

  engine::Gtid last_gtid() const override { return inner_->last_gtid(); }
  bool has_binary_log() const override { return inner_->has_binary_log(); }
  Result<bool> has_applied(std::string_view gtids, engine::GtidMark& mark) override {
    return inner_->has_applied(gtids, mark);
  }
  bool has_uncommitted_changes() const override { return inner_->has_uncommitted_changes(); }
  bool after_batch() override { return inner_->after_batch(); }
  bool is_waited_for() const override { return inner_->is_waited_for(); }
  void release() override { inner_->release(); }
  void takes_long() override { inner_->takes_long(); }
  bool should_stop() const override { return engine_.stops_ || inner_->should_stop(); }

 private:
  static constexpr int kTransactionAborted = 200;  // the handler's number

  // Waits for the locked table. False: it has not waited, or not for long enough.
  bool wait_for_table() {
    must_wait_ = !waits_;
    if (must_wait_ || most_wait_ms_ == 0) return false;
    if (events_.wait_begins) {
      events_.wait_begins(events_.context, engine::SessionEvents::Wait::kOther);
    }
    engine_.wait_until_unlocked();
    if (events_.wait_ends) events_.wait_ends(events_.context);
    return true;
  }

  FaultyEngine& engine_;
  std::unique_ptr<engine::Session> inner_;
  engine::SessionEvents events_;
  // A new spec may get the wrapper of an old one at the same address. That is harmless, since
  // cursor() sets what is wrapped each time.
  std::unordered_map<const engine::IndexSpec*, std::unique_ptr<FaultyCursor>> cursors_;
  bool lost_ = false;
  bool gave_way_ = false, outcome_unknown_ = false;
  bool must_wait_ = false;
  bool waits_ = false;
  uint32_t most_wait_ms_ = 0;
};

Result<bool> FaultyCursor::seek(KeyOperator op, std::span<const Value> key) {
  if (auto error = session_.fault(Call::kSeek)) return std::move(*error);
  return inner_->seek(op, key);
}

Result<bool> FaultyCursor::next() {
  if (auto error = session_.fault(Call::kNext)) return std::move(*error);
  return inner_->next();
}

Result<std::span<const Value>> FaultyCursor::row() {
  if (auto error = session_.fault(Call::kRow)) return std::move(*error);
  return inner_->row();
}

Result<void> FaultyCursor::set_filters(std::span<const Filter> filters) {
  if (auto error = session_.fault(Call::kSetFilters)) return std::move(*error);
  return inner_->set_filters(filters);
}

Result<bool> FaultyCursor::seek_position(std::string_view position) {
  if (auto error = session_.fault(Call::kSeekPosition)) return std::move(*error);
  return inner_->seek_position(position);
}

Result<engine::Cursor::Inserted> FaultyCursor::insert(std::span<const Value> values) {
  if (auto error = session_.fault(Call::kInsert)) return std::move(*error);
  return inner_->insert(values);
}

Result<engine::Cursor::Inserted> FaultyCursor::put(std::span<const Value> values,
                                                   std::optional<std::span<const Value>> updates,
                                                   RowsInTheWay* in_the_way) {
  if (auto error = session_.fault(Call::kInsert)) return std::move(*error);
  return inner_->put(values, updates, in_the_way);
}

Result<engine::Cursor::Updated> FaultyCursor::update(std::span<const Assignment> assignments) {
  if (auto error = session_.fault(Call::kUpdate)) return std::move(*error);
  return inner_->update(assignments);
}

Result<void> FaultyCursor::erase() {
  if (auto error = session_.fault(Call::kErase)) return std::move(*error);
  return inner_->erase();
}

void FaultyEngine::fail(Call call, uint64_t nth, Error error) {
  add(call, nth, {call, 0, std::move(error), Fault::kFails});
}

void FaultyEngine::lose_transaction(Call call, uint64_t nth, Error error) {
  add(call, nth, {call, 0, std::move(error), Fault::kLosesTransaction});
}

void FaultyEngine::lose_outcome(uint64_t nth) {
  add(Call::kCommit, nth, {Call::kCommit, 0, Error::engine(149), Fault::kLosesOutcome});
}

void FaultyEngine::lock_row(Call call, uint64_t nth) {
  add(call, nth, {call, 0, Error::engine(kLockWaitTimeout), Fault::kRowLocked});
}

void FaultyEngine::hold(Call call, uint64_t nth, std::optional<engine::SessionEvents::Wait> what) {
  add(call, nth, {call, 0, {}, Fault::kHeld, what});
}

void FaultyEngine::work(Call call, uint64_t nth, uint32_t rows) {
  add(call, nth, {call, 0, {}, Fault::kWorks, {}, rows});
}

void FaultyEngine::let_go() {
  const std::lock_guard lock(mutex_);
  ++let_go_;
  held_changes_.notify_all();
}

void FaultyEngine::wait_for_held(uint64_t calls) {
  std::unique_lock lock(mutex_);
  held_changes_.wait(lock, [&] { return held_ == calls; });
}

void FaultyEngine::wait_until_let_go() {
  std::unique_lock lock(mutex_);
  ++held_;
  held_changes_.notify_all();
  held_changes_.wait(lock, [&, before = let_go_] { return let_go_ != before; });
  --held_;
}

void FaultyEngine::lock_table(std::string table) {
  const std::lock_guard lock(mutex_);
  locked_table_ = std::move(table);
}

void FaultyEngine::unlock_table() {
  const std::lock_guard lock(mutex_);
  locked_table_.clear();
  held_changes_.notify_all();
}

bool FaultyEngine::is_locked(const std::string& table) const {
  const std::lock_guard lock(mutex_);
  return !locked_table_.empty() && locked_table_ == table;
}

void FaultyEngine::wait_until_unlocked() {
  std::unique_lock lock(mutex_);
  ++held_;
  held_changes_.notify_all();
  held_changes_.wait(lock, [&] { return locked_table_.empty(); });
  --held_;
}

void FaultyEngine::add(Call call, uint64_t nth, Fault fault) {
  const std::lock_guard lock(mutex_);
  fault.at = counts_[static_cast<size_t>(call)] + nth;
  faults_.push_back(std::move(fault));
}

uint64_t FaultyEngine::calls(Call call) const {
  const std::lock_guard lock(mutex_);
  return counts_[static_cast<size_t>(call)];
}

std::optional<FaultyEngine::Fault> FaultyEngine::count(Call call) {
  const std::lock_guard lock(mutex_);
  const uint64_t now = ++counts_[static_cast<size_t>(call)];
  const auto due = std::find_if(faults_.begin(), faults_.end(), [&](const Fault& fault) {
    return fault.call == call && fault.at == now;
  });
  if (due == faults_.end()) return std::nullopt;
  std::optional<Fault> fault = std::move(*due);
  faults_.erase(due);
  return fault;
}

void FaultyEngine::stop() {
  stops_ = true;
  const std::lock_guard lock(mutex_);
  for (const auto& [session, events] : sessions_) {
    if (events.wake) events.wake(events.context);
  }
}

void FaultyEngine::add_session(const engine::Session* session, engine::SessionEvents events) {
  const std::lock_guard lock(mutex_);
  sessions_.emplace_back(session, events);
}

void FaultyEngine::remove_session(const engine::Session* session) {
  const std::lock_guard lock(mutex_);
  std::erase_if(sessions_, [&](const auto& known) { return known.first == session; });
}

std::unique_ptr<engine::Session> FaultyEngine::make_session(engine::Mode mode,
                                                            std::string_view name) {
  if (refuses_sessions_) return nullptr;
  std::unique_ptr<engine::Session> inner = inner_.make_session(mode, name);
  if (!inner) return nullptr;
  return std::make_unique<FaultySession>(*this, std::move(inner));
}

}  // namespace hs::testing
