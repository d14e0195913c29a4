#include "server/transactions.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "server/hold_tables.h"
#include "server/thread.h"

namespace hs::server {
namespace {

// How often the watcher looks.
constexpr int kLookMs = 20;
// How long a session without a transaction is kept.
constexpr int64_t kSpareMs = 10'000;

}  // namespace

// --- one transaction ---

Transaction::~Transaction() {
  all_.forget(*this);
  if (session_ == nullptr) return;
  all_.rolled_back_.fetch_add(1, std::memory_order_relaxed);
  all_.roll_back(*this);
}

engine::Session* Transaction::enter(engine::SessionEvents events) {
  Holder none = Holder::kNone;
  while (!holder_.compare_exchange_weak(none, Holder::kThread, std::memory_order_acquire)) {
    if (none == Holder::kLost) return nullptr;
    none = Holder::kNone;
    std::this_thread::yield();  // the watcher looks at it, which takes no longer than a microsecond
  }
  is_parked_ = false;
  session_->enter(events);
  return session_.get();
}

void Transaction::leave(bool parked) {
  session_->leave();
  is_parked_ = parked;
  used_ms_ = monotonic_ms();
  holder_.store(Holder::kNone, std::memory_order_release);
}

void Transaction::lose() {
  session_->leave();
  all_.lost_.fetch_add(1, std::memory_order_relaxed);
  all_.roll_back(*this);
  holder_.store(Holder::kLost, std::memory_order_release);
}

void Transaction::end(bool committed) {
  (committed ? all_.committed_ : all_.rolled_back_).fetch_add(1, std::memory_order_relaxed);
  session_->act_for(nullptr);
  const bool holds_tables = session_->after_batch();
  session_->leave();
  all_.keep(std::move(session_), reads_only_, holds_tables);
  holder_.store(Holder::kLost, std::memory_order_release);
}

// --- all of them ---

Result<std::unique_ptr<Transaction>> Transactions::begin(bool reads_only) {
  std::unique_ptr<Transaction> made(new Transaction(*this, reads_only));
  const uint32_t most = settings_.get().max_transactions;
  {
    const MutexLock lock(mutex_);
    if (stop_) return ErrorCode::kShutdown;
    if (taken_ >= most) return ErrorCode::kTooManyTransactions;
    // So that nothing allocates when transactions end.
    open_.reserve(taken_ + 1);
    ending_.reserve(taken_ + 1);
    spare_.reserve(taken_ + spare_.size() + 1);
    try {
      start_threads();
    } catch (const std::system_error&) {
      return ErrorCode::kTooManyTransactions;
    }
    if (taken_++ == 0 && spare_.empty()) changed_.notify_one();
  }
  try {
    made->session_ = session(reads_only);
  } catch (...) {
    const MutexLock lock(mutex_);
    --taken_;
    throw;
  }
  const MutexLock lock(mutex_);
  if (made->session_ == nullptr) {
    --taken_;
    return ErrorCode::kShutdown;
  }
  made->used_ms_ = monotonic_ms();
  open_.push_back(made.get());
  begun_.fetch_add(1, std::memory_order_relaxed);
  return made;
}

std::unique_ptr<Transaction> Transactions::none() {
  std::unique_ptr<Transaction> made(new Transaction(*this, false));
  made->holder_.store(Transaction::Holder::kLost, std::memory_order_relaxed);
  return made;
}

// A spare session, or a new one. Null: the database makes none.
std::unique_ptr<engine::Session> Transactions::session(bool reads_only) {
  {
    const MutexLock lock(mutex_);
    const auto found =
        std::find_if(spare_.rbegin(), spare_.rend(),
                     [reads_only](const Spare& spare) { return spare.reads_only == reads_only; });
    if (found != spare_.rend()) {
      std::unique_ptr<engine::Session> session = std::move(found->session);
      spare_.erase(std::next(found).base());
      return session;
    }
  }
  return engine_.make_session(reads_only ? engine::Mode::kReadOnly : mode_, "transaction");
}

void Transactions::start_threads() {
  if (!has_watcher_) watcher_ = start_thread(name_, [this] { watch(); });
  has_watcher_ = true;
  if (!has_undoer_) undoer_ = start_thread(name_ + "U", [this] { undo(); });
  has_undoer_ = true;
}

void Transactions::forget(Transaction& transaction) {
  const MutexLock lock(mutex_);
  std::erase(open_, &transaction);
}

void Transactions::roll_back(Transaction& transaction) {
  const MutexLock lock(mutex_);
  ending_.push_back({std::move(transaction.session_), transaction.reads_only_});
  ended_.notify_one();
}

void Transactions::keep(std::unique_ptr<engine::Session> session, bool reads_only,
                        bool holds_tables) {
  const bool is_wanted = !session->should_stop();
  {
    const MutexLock lock(mutex_);
    --taken_;
    if (is_wanted && !stop_) {
      spare_.push_back({std::move(session), reads_only, holds_tables, monotonic_ms()});
    }
  }
  session.reset();
}

void Transactions::stop() {
  bool has_watcher = false;
  bool has_undoer = false;
  {
    const MutexLock lock(mutex_);
    stop_ = true;
    has_watcher = std::exchange(has_watcher_, false);
    has_undoer = std::exchange(has_undoer_, false);
    changed_.notify_one();
    ended_.notify_one();
  }
  if (has_watcher) watcher_.join();
  if (has_undoer) undoer_.join();
  std::vector<Ending> ending;
  std::vector<Spare> spare;
  const MutexLock lock(mutex_);
  ending.swap(ending_);
  spare.swap(spare_);
  taken_ -= ending.size();
}

// --- the threads ---

void Transactions::undo() {
  MutexLock lock(mutex_);
  for (;;) {
    if (ending_.empty()) {
      if (stop_) return;
      ended_.wait(lock);
      continue;
    }
    Ending ending = std::move(ending_.back());
    ending_.pop_back();
    lock.unlock();
    ending.session->enter({});
    ending.session->rollback();
    ending.session->act_for(nullptr);
    const bool holds_tables = ending.session->after_batch();
    ending.session->leave();
    keep(std::move(ending.session), ending.reads_only, holds_tables);
    lock.lock();
  }
}

void Transactions::watch() {
  MutexLock lock(mutex_);
  while (!stop_) {
    Spare spare;
    if (take_due_spare(monotonic_ms(), &spare)) {
      lock.unlock();
      if (spare.holds_tables) {
        spare.session->enter({});
        spare.session->release();
        spare.session->leave();
        spare.holds_tables = false;
        lock.lock();
        if (!stop_) spare_.insert(spare_.begin(), std::move(spare));
      } else {
        spare.session.reset();
        lock.lock();
      }
      continue;
    }
    if (taken_ == 0 && spare_.empty()) {
      changed_.wait(lock);
    } else {
      changed_.wait_for(lock, std::chrono::milliseconds(kLookMs));
      if (!stop_) look();
    }
  }
}

// A spare session that has held its tables, or was kept, for long enough.
bool Transactions::take_due_spare(int64_t now_ms, Spare* spare) {
  const auto due = std::find_if(spare_.begin(), spare_.end(), [now_ms](const Spare& one) {
    if (one.session->should_stop()) return true;
    return now_ms - one.since_ms >= (one.holds_tables ? kHoldTables.count() : kSpareMs);
  });
  if (due == spare_.end()) return false;
  *spare = std::move(*due);
  spare_.erase(due);
  if (spare->session->should_stop()) spare->holds_tables = false;
  return true;
}

void Transactions::look() {
  const int64_t timeout_ms = int64_t{settings_.get().transaction_timeout_s} * 1000;
  const int64_t now_ms = monotonic_ms();
  for (Transaction* const transaction : open_) {
    if (!transaction->take_for_watcher()) continue;
    const bool over = is_over(*transaction, now_ms, timeout_ms);
    if (over) {
      lost_.fetch_add(1, std::memory_order_relaxed);
      ending_.push_back({std::move(transaction->session_), transaction->reads_only_});
      ended_.notify_one();
    }
    transaction->holder_.store(over ? Transaction::Holder::kLost : Transaction::Holder::kNone,
                               std::memory_order_release);
  }
}

bool Transactions::is_over(Transaction& transaction, int64_t now_ms, int64_t timeout_ms) {
  engine::Session& session = *transaction.session_;
  if (session.should_stop()) return true;
  if (!transaction.is_parked_ && now_ms - transaction.used_ms_ >= timeout_ms) return true;
  session.enter({});
  const bool lost = session.transaction_lost();
  const bool is_waited_for = session.is_waited_for();
  session.leave();
  if (!is_waited_for) {
    transaction.waited_for_since_ms_ = 0;
  } else if (transaction.waited_for_since_ms_ == 0) {
    transaction.waited_for_since_ms_ = now_ms;
  }
  return lost || (is_waited_for && now_ms - transaction.waited_for_since_ms_ >= timeout_ms);
}

void Transactions::add_to(Statistics& sum) const {
  sum.transactions_begun += begun_.load(std::memory_order_relaxed);
  sum.transactions_committed += committed_.load(std::memory_order_relaxed);
  sum.transactions_rolled_back += rolled_back_.load(std::memory_order_relaxed);
  sum.transactions_lost += lost_.load(std::memory_order_relaxed);
  const MutexLock lock(mutex_);
  sum.transactions_open += taken_;
}

}  // namespace hs::server
