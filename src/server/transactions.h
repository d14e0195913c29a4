// The transactions that the clients of one mode have open.
//
// Each has a session of its own, which belongs to no thread. Sessions are made when they are needed,
// and kept for a while for the next transaction. One thread, the watcher, looks at what is open
// every 20 ms. It ends a transaction that was idle or has held off DDL for too long, or whose session
// was killed. Another thread rolls back what was ended so, and what a connection leaves behind. No
// client waits for that, and while it undoes millions of rows the limits of the others hold.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "engine/engine.h"
#include "server/settings.h"
#include "server/statistics.h"

namespace hs::server {

class Transactions;

// The transaction of one connection, until the client has ended it. Used by the thread that the
// connection is in.
class Transaction {
 public:
  // What is still open is rolled back, by a thread for that.
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  bool reads_only() const { return reads_only_; }
  // How many rows its requests have changed. Only in the connection's thread.
  void note_changed(uint64_t rows) { changed_rows_ += rows; }
  uint64_t changed_rows() const { return changed_rows_; }

  // The session, which has entered the calling thread. Null: the transaction is lost.
  engine::Session* enter(engine::SessionEvents events);
  // After enter(): the session leaves the thread. `parked`: its request is to be executed again, so
  // the transaction is not idle meanwhile.
  void leave(bool parked);
  // Likewise: the transaction is lost, and is rolled back by that thread.
  void lose();
  // Likewise: it was committed or rolled back, and what remains is to be destroyed.
  void end(bool committed);

 private:
  friend class Transactions;
  enum class Holder : uint8_t {
    kNone,
    kThread,   // that of the connection
    kWatcher,  // for a moment
    kLost,     // there is no session any more
  };
  Transaction(Transactions& all, bool reads_only) : all_(all), reads_only_(reads_only) {}
  bool take_for_watcher() {
    Holder none = Holder::kNone;
    return holder_.compare_exchange_strong(none, Holder::kWatcher, std::memory_order_acquire);
  }

  Transactions& all_;
  const bool reads_only_;
  std::atomic<Holder> holder_{Holder::kNone};
  // Used by the holder:
  std::unique_ptr<engine::Session> session_;
  int64_t used_ms_ = 0;  // when the last request ended, in monotonic_ms()
  uint64_t changed_rows_ = 0;
  bool is_parked_ = false;
  int64_t waited_for_since_ms_ = 0;  // when the watcher first saw that DDL waits; 0: it does not
};

// Any thread, all functions.
class Transactions {
 public:
  // `mode`: of the sessions, but for transactions that only read. All arguments must outlive it, and
  // it must outlive its transactions. `name`: of the watcher's thread; with a `U`, of the other one.
  Transactions(std::string name, engine::Mode mode, engine::Engine& engine,
               const SharedSettings& settings)
      : name_(std::move(name)), mode_(mode), engine_(engine), settings_(settings) {}
  ~Transactions() { stop(); }

  // One more, whose session is in no thread and has begun nothing yet. Errors:
  // kTooManyTransactions, kShutdown. May throw std::bad_alloc.
  Result<std::unique_ptr<Transaction>> begin(bool reads_only);

  // One that is lost from the beginning. May throw std::bad_alloc.
  std::unique_ptr<Transaction> none();

  // Rolls back what connections have left, ends both threads and every session that no connection
  // has. No begin() succeeds any more. A second call does nothing.
  void stop();

  // Whether clients may have any.
  bool allowed() const { return settings_.get().max_transactions != 0; }
  // One that was executed without a session of its own has ended.
  void note_whole(bool committed) {
    begun_.fetch_add(1, std::memory_order_relaxed);
    (committed ? committed_ : rolled_back_).fetch_add(1, std::memory_order_relaxed);
  }

  // How long the commits of transactions take, as a rule.
  int64_t commit_ns() const { return commit_ns_.load(std::memory_order_relaxed); }
  void note_commit(int64_t ns) {
    commit_ns_.store(commit_ns() + (ns - commit_ns()) / 8, std::memory_order_relaxed);
  }

  void add_to(Statistics& sum) const;

 private:
  friend class Transaction;
  // A session without a transaction.
  struct Spare {
    std::unique_ptr<engine::Session> session;
    bool reads_only = false;
    bool holds_tables = false;
    int64_t since_ms = 0;
  };
  // A session whose transaction is to be rolled back.
  struct Ending {
    std::unique_ptr<engine::Session> session;
    bool reads_only = false;
  };

  std::unique_ptr<engine::Session> session(bool reads_only);
  void start_threads() HS_REQUIRES(mutex_);
  void forget(Transaction& transaction);
  void roll_back(Transaction& transaction);
  void keep(std::unique_ptr<engine::Session> session, bool reads_only, bool holds_tables);
  void watch();
  void undo();
  void look() HS_REQUIRES(mutex_);
  static bool is_over(Transaction& transaction, int64_t now_ms, int64_t timeout_ms);
  bool take_due_spare(int64_t now_ms, Spare* spare) HS_REQUIRES(mutex_);

  const std::string name_;
  const engine::Mode mode_;
  engine::Engine& engine_;
  const SharedSettings& settings_;
  std::atomic<int64_t> commit_ns_{1'000'000};
  std::atomic<uint64_t> begun_{0};
  std::atomic<uint64_t> committed_{0};
  std::atomic<uint64_t> rolled_back_{0};
  std::atomic<uint64_t> lost_{0};

  mutable Mutex mutex_;
  Condition changed_;  // for the watcher
  Condition ended_;    // for the thread that rolls back
  bool stop_ HS_GUARDED_BY(mutex_) = false;
  bool has_watcher_ HS_GUARDED_BY(mutex_) = false;
  bool has_undoer_ HS_GUARDED_BY(mutex_) = false;
  size_t taken_ HS_GUARDED_BY(mutex_) = 0;  // sessions with a transaction
  std::vector<Transaction*> open_ HS_GUARDED_BY(mutex_);
  std::vector<Ending> ending_ HS_GUARDED_BY(mutex_);
  std::vector<Spare> spare_ HS_GUARDED_BY(mutex_);  // the one used last is at the end
  std::thread watcher_;
  std::thread undoer_;
};

}  // namespace hs::server
