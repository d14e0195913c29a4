// An engine that fails when a test says so. It wraps another engine, passes every call on, and
// makes the chosen calls fail in the way the interface allows.
//
// The script belongs to the engine and counts calls over all its sessions. Its functions may be
// called from any thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/engine.h"

namespace hs::testing {

// The calls that can be made to fail.
enum class Call : uint8_t {
  kOpen,
  kDescribe,
  kCursor,
  kBeginRequest,
  kSetFilters,
  kSeek,
  kNext,
  kRow,
  kSeekPosition,
  kInsert,  // and put()
  kUpdate,
  kErase,
  kEndRequest,
  kCommit,
  kCommitted,  // the end of a commit that was done: can be held, but cannot fail
  kRollback,   // can be held, but cannot fail
};

class FaultyEngine : public engine::Engine {
 public:
  explicit FaultyEngine(engine::Engine& inner) : inner_(inner) {}  // must outlive this one

  // The `nth` such call from now on (1 = the next one) fails with `error` and does nothing. But a
  // kEndRequest undoes the request, and a kCommit the whole batch.
  void fail(Call call, uint64_t nth, Error error);
  // As fail(), and the whole transaction is lost, as after a deadlock: transaction_lost() holds and
  // every request fails until Session::rollback().
  void lose_transaction(Call call, uint64_t nth, Error error = Error::engine(149));
  // Whether a transaction is lost to one of another server. To be set before the loss.
  bool gives_way = false;
  // The `nth` commit from now on fails, and is_outcome_unknown() holds.
  void lose_outcome(uint64_t nth);
  // As fail() with a lock wait timeout; must_wait() holds then. A session that waits for locks does
  // not fail.
  void lock_row(Call call, uint64_t nth);
  // Until unlock_table() a request on the table fails and must wait. A session that waits for locks
  // waits until then, as for hold() with Wait::kOther.
  void lock_table(std::string table);
  void unlock_table();
  // The `nth` such call from now on waits, as `what`, until let_go(), and then does its work.
  // Without `what` it is only slow: no event tells that it waits.
  void hold(Call call, uint64_t nth, std::optional<engine::SessionEvents::Wait> what);
  void let_go();
  // The `nth` such call from now on does as much work as going to `rows` rows takes, before its own
  // work.
  void work(Call call, uint64_t nth, uint32_t rows);
  // Blocks until `calls` calls wait in hold().
  void wait_for_held(uint64_t calls);
  // The sessions' patience_ms(). To be set before they are used.
  uint32_t patience_ms = 60'000;
  // How often `call` was made until now.
  uint64_t calls(Call call) const;

  // From now on should_stop() holds for every session, and each that is in a thread is woken.
  void stop();
  // From now on make_session() returns null.
  void refuse_sessions() { refuses_sessions_ = true; }

  std::unique_ptr<engine::Session> make_session(engine::Mode mode, std::string_view name) override;
  bool wait_until_ready() override { return inner_.wait_until_ready(); }
  Result<engine::AccountPtr> log_in(const engine::Credentials& credentials) override {
    return inner_.log_in(credentials);
  }

 private:
  friend class FaultySession;
  friend class FaultyCursor;

  static constexpr size_t kCalls = static_cast<size_t>(Call::kRollback) + 1;
  struct Fault {
    Call call;
    uint64_t at;  // the number of the call in counts_
    Error error;
    enum Effect : uint8_t {
      kFails,
      kLosesTransaction,
      kLosesOutcome,
      kRowLocked,
      kHeld,
      kWorks
    } effect = kFails;
    std::optional<engine::SessionEvents::Wait> wait{};  // kHeld
    uint32_t rows = 0;                                  // kWorks
  };

  void add(Call call, uint64_t nth, Fault fault);
  void wait_until_let_go();
  bool is_locked(const std::string& table) const;
  void wait_until_unlocked();
  // Counts the call. Returns the fault that is due at it, if any.
  std::optional<Fault> count(Call call);
  void add_session(const engine::Session* session, engine::SessionEvents events);
  void remove_session(const engine::Session* session);

  engine::Engine& inner_;
  std::atomic<bool> stops_ = false;
  std::atomic<bool> refuses_sessions_ = false;
  mutable std::mutex mutex_;  // guards what follows
  uint64_t counts_[kCalls] = {};
  std::vector<Fault> faults_;
  uint64_t held_ = 0;         // calls that wait
  uint64_t let_go_ = 0;       // how often let_go() was called
  std::string locked_table_;  // empty: none
  std::condition_variable held_changes_;
  std::vector<std::pair<const engine::Session*, engine::SessionEvents>> sessions_;  // in a thread
};

}  // namespace hs::testing
