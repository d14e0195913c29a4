#include "testing/fake_session.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include "base/assert.h"
#include "testing/engine_numbers.h"

namespace hs::testing {
namespace {

constexpr int kNoSavepoint = 1305;  // SQL's number

}  // namespace

FakeSession::~FakeSession() {
  // FakeSession:: is named, since the part of a derived class is gone already.
  if (thread_ == std::thread::id()) FakeSession::enter({});
  FakeSession::rollback();
}

void FakeSession::enter(engine::SessionEvents events) {
  HS_ASSERT(thread_ == std::thread::id());
  events_ = events;
  thread_ = std::this_thread::get_id();
}

void FakeSession::leave() {
  HS_ASSERT(here(!request_));
  events_ = {};
  thread_ = std::thread::id();
}

void FakeSession::act_for(const engine::Account* account) {
  here();
  account_ = static_cast<const FakeAccount*>(account);
}

const engine::Rights& FakeSession::rights(engine::Cursor& cursor) {
  here();
  if (account_ == nullptr) return engine::kAllRights;
  const std::lock_guard lock(engine_.mutex_);
  rights_ = {};
  rights_.sees = false;
  const auto& granted = engine_.accounts_[account_->user()].rights;
  for (const auto& [name, table] : engine_.tables_) {
    if (table != static_cast<FakeCursor&>(cursor).table()) continue;
    const auto at = granted.find(name.first + '.' + name.second);
    if (at != granted.end()) rights_ = at->second;
  }
  return rights_;
}

Result<void> FakeSession::open(const engine::IndexSpecPtr& spec) {
  HS_ASSERT(here(!request_) && (in_transaction_ || !has_uncommitted_changes()));
  must_wait_ = false;
  Result<FakeCursor*> found = find_cursor(spec);
  if (!found) return std::move(found.error());
  return {};
}

Result<engine::Cursor*> FakeSession::cursor(const engine::IndexSpecPtr& spec) {
  HS_ASSERT(here(!request_));
  must_wait_ = false;
  Result<FakeCursor*> found = find_cursor(spec);
  if (!found) return std::move(found.error());
  return static_cast<engine::Cursor*>(*found);
}

Result<FakeCursor*> FakeSession::find_cursor(const engine::IndexSpecPtr& spec) {
  const std::lock_guard lock(engine_.mutex_);
  std::shared_ptr<Table> table = engine_.find_table(spec->database, spec->table);
  if (!table) return ErrorCode::kOpenTable;
  if (const auto at = cursors_.find(spec.get()); at != cursors_.end()) {
    // The spec may be another one that now has the same address.
    const bool same = at->second.spec.lock() == spec && at->second.cursor->table() == table;
    if (same) return at->second.cursor.get();
    cursors_.erase(at);
  } else {
    std::erase_if(cursors_, [](const auto& opened) { return opened.second.spec.expired(); });
  }
  ErrorCode error{};
  std::unique_ptr<FakeCursor> made = FakeCursor::make(*this, *spec, std::move(table), &error);
  if (!made) return error;
  return (cursors_[spec.get()] = Opened{spec, std::move(made)}).cursor.get();
}

Result<void> FakeSession::begin_request(engine::Cursor& cursor, engine::Access access,
                                        engine::Rows) {
  HS_ASSERT(here(!request_));
  if (access != engine::Access::kRead) {
    if (mode_ == engine::Mode::kReadOnly) return ErrorCode::kLockTables;
    std::unique_lock lock(engine_.mutex_);
    if (!lock_as_writer(lock)) return Error::engine(kLockWaitTimeout);
  }
  request_ = static_cast<FakeCursor*>(&cursor);
  access_ = access;
  request_start_ = undo_.size();
  return {};
}

bool FakeSession::lock_as_writer(std::unique_lock<std::mutex>& lock) {
  const auto mine = [&] { return !engine_.writer_ || engine_.writer_ == this; };
  if (in_transaction_ && !mine()) {
    must_wait_ = !may_wait_;
    if (must_wait_) return false;
    lock.unlock();
    if (events_.wait_begins != nullptr)
      events_.wait_begins(events_.context, engine::SessionEvents::Wait::kOther);
    lock.lock();
    const bool waited = engine_.writer_gone_.wait_for(lock, engine_.lock_wait_timeout_, mine);
    if (waited) engine_.writer_ = this;
    lock.unlock();
    if (events_.wait_ends != nullptr) events_.wait_ends(events_.context);
    lock.lock();
    return waited;
  }
  if (!engine_.writer_gone_.wait_for(lock, engine_.lock_wait_timeout_, mine)) return false;
  engine_.writer_ = this;
  return true;
}

// --- a transaction that a client begins ---

Result<void> FakeSession::begin_transaction(const engine::TransactionOptions& options) {
  HS_ASSERT(here(!request_ && !in_transaction_ && undo_.empty()));
  in_transaction_ = true;
  reads_uncommitted_ = options.isolation == Isolation::kReadUncommitted;
  return {};
}

std::vector<FakeSession::Savepoint>::iterator FakeSession::find_savepoint(std::string_view name) {
  std::string wanted(name);
  std::transform(wanted.begin(), wanted.end(), wanted.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::find_if(savepoints_.begin(), savepoints_.end(),
                      [&](const Savepoint& one) { return one.name == wanted; });
}

Result<void> FakeSession::set_savepoint(std::string_view name) {
  HS_ASSERT(here(!request_ && in_transaction_));
  const auto old = find_savepoint(name);
  if (old != savepoints_.end()) savepoints_.erase(old);
  if (savepoints_.size() >= engine::kMaxSavepoints) return ErrorCode::kTooManySavepoints;
  std::string small(name);
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  savepoints_.push_back({std::move(small), undo_.size()});
  return {};
}

Result<void> FakeSession::roll_back_to(std::string_view name) {
  HS_ASSERT(here(!request_ && in_transaction_));
  const auto found = find_savepoint(name);
  if (found == savepoints_.end()) {
    return Error::sql(kNoSavepoint, "SAVEPOINT " + std::string(name) + " does not exist");
  }
  undo_down_to(found->changes);
  savepoints_.erase(std::next(found), savepoints_.end());
  return {};
}

Result<void> FakeSession::end_request() {
  HS_ASSERT(here(request_));
  request_ = nullptr;
  return {};
}

void FakeSession::undo_request() {
  HS_ASSERT(here(request_));
  request_ = nullptr;
  undo_down_to(request_start_);
}

Result<void> FakeSession::commit() {
  HS_ASSERT(here(!request_));
  last_gtid_ = {};
  if (!undo_.empty()) name_change();
  forget_changes();
  return {};
}

void FakeSession::name_change() {
  const std::lock_guard lock(engine_.mutex_);
  if (!engine_.has_binary_log_) return;
  last_gtid_ = engine::Gtid("0-1-" + std::to_string(++engine_.logged_));
}

bool FakeSession::has_binary_log() const {
  const std::lock_guard lock(engine_.mutex_);
  return here(engine_.has_binary_log_);
}

Result<bool> FakeSession::has_applied(std::string_view gtids, engine::GtidMark&) {
  here();
  if (gtids.empty()) return true;
  const bool is_own = gtids.starts_with("0-1-");
  const std::string_view digits = gtids.substr(std::min(gtids.size(), size_t{4}));
  uint64_t number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool is_number = read.ec == std::errc() && read.ptr == digits.data() + digits.size();
  if (!is_number || (!is_own && !gtids.starts_with("0-2-"))) return ErrorCode::kGtid;
  const std::lock_guard lock(engine_.mutex_);
  return number <= (is_own ? engine_.logged_ : engine_.applied_);
}

void FakeSession::rollback() {
  here();
  request_ = nullptr;
  undo_down_to(0);
  forget_changes();
}

void FakeSession::undo_down_to(size_t size) {
  const std::lock_guard lock(engine_.mutex_);
  while (undo_.size() > size) {
    Undo& last = undo_.back();
    last.table->restore(last.row, std::move(last.old));
    undo_.pop_back();
  }
}

void FakeSession::forget_changes() {
  undo_.clear();
  savepoints_.clear();
  in_transaction_ = reads_uncommitted_ = must_wait_ = false;
  const std::lock_guard lock(engine_.mutex_);
  if (engine_.writer_ != this) return;
  engine_.writer_ = nullptr;
  engine_.writer_gone_.notify_all();
}

}  // namespace hs::testing
