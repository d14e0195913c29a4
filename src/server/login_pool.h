// The threads that log clients in to accounts of the database. A login may take long, and a client
// that guesses is kept waiting for its answer, so none of this happens on a thread that serves
// connections.
//
//   the leader of a reactor: submit(peer)  ->  a thread here: Login::carry_out()
//     -> the reactor: take_back(peer), at once or after a delay
//
// A login that puts questions to its client is *held*. Its thread gives the peer back with each
// question, and waits until submit() brings it again with the answer.
//
// Bounded: the threads, how many peers wait for one of them, and for how long a thread waits for a
// client. Clients of one host do not lock out those of others: LoginQueue says whose turn is next,
// and which login gives way when too many wait. A method that hangs keeps its thread, since the
// database's plugins cannot be interrupted. But one host cannot have more than half of the threads,
// and several cannot have all.
//
// Held logins have a queue and threads of their own. If no thread may be had, the next login takes the
// place of the oldest one that waits for its client, from the host that has most of them. A peer whose login has failed waits here without a thread.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/counter.h"
#include "base/mutex.h"
#include "engine/engine.h"
#include "server/login_queue.h"
#include "server/peer.h"
#include "server/start_gate.h"
#include "server/statistics.h"

namespace hs::server {

// Where a peer goes on after its login, or to be asked.
class LoginReceiver {
 public:
  virtual ~LoginReceiver() = default;
  // Called on a thread of the pool. The peer's login is done, or asks.
  virtual void take_back(Peer& peer) = 0;
};

class LoginPool {
 public:
  struct Options {
    unsigned threads = 2;  // that are always there; at least 1
    // How many logins are carried out at once, and how many that are held.
    unsigned most_at_once = 32;
    unsigned most_held = 32;
    size_t most_waiting = 128;  // of each of the two
    // A login that has waited for longer is refused.
    std::chrono::milliseconds longest_wait{10'000};
    // How long a client may take for the answer to a question.
    std::chrono::milliseconds longest_question{5'000};
    // How long the answer to a failed login is kept back.
    std::chrono::milliseconds failure_delay{500};
    // A further thread ends when it has had nothing to do for so long, and as many of them as were
    // idle at any moment of that time.
    std::chrono::milliseconds longest_idle{10'000};
  };

  // Makes no thread. `engine` must outlive the pool.
  LoginPool(const Options& options, engine::Engine& engine);
  ~LoginPool();  // stops
  LoginPool(const LoginPool&) = delete;
  LoginPool& operator=(const LoginPool&) = delete;

  // Makes the first threads, which wait at the gate. Throws std::exception when it cannot.
  void make_threads(const StartGate& gate);

  // Any thread, after make_threads(): takes the peer, which is detached and whose login is kWanted,
  // until receiver.take_back(). False: the peer stays the caller's, and its login is refused, since
  // too many wait or the pool stops. A peer that was taken may still be refused, for one of another
  // host.
  bool submit(Peer& peer, LoginReceiver& receiver);

  // Takes no more logins. Those that are carried out go on to their end; those that wait for their
  // clients are given up.
  void request_stop();
  // Waits for the threads, which need the gate to be open. Then gives every peer back.
  void join();

  void add_to(Statistics& sum) const;

 private:
  using Clock = std::chrono::steady_clock;
  class Asking;
  enum Kind : uint8_t { kOrdinary, kHeld, kKinds };
  struct Worker {
    std::thread thread;
    bool has_ended = false;  // guarded by mutex_
  };

  void refuse(LoginJobs jobs) HS_REQUIRES(mutex_);
  bool go_on(Peer& peer, LoginReceiver& receiver);
  void run(Worker& worker);
  void carry_out(const LoginJob& job);
  void make_room() HS_REQUIRES(mutex_);
  LoginQueue* queue_in_turn() HS_REQUIRES(mutex_);
  void refuse_late() HS_REQUIRES(mutex_);
  Clock::time_point next_moment() const HS_REQUIRES(mutex_);
  bool idle(const Clock::time_point& since, MutexLock& lock) HS_REQUIRES(mutex_);
  bool is_surplus(Clock::time_point now) HS_REQUIRES(mutex_);
  void call_threads() HS_REQUIRES(mutex_);
  bool add_thread() HS_REQUIRES(mutex_);
  bool delay(LoginJob job) HS_REQUIRES(mutex_);

  const Options options_;
  engine::Engine& engine_;
  mutable Mutex mutex_;
  Condition changed_;
  bool stopping_ HS_GUARDED_BY(mutex_) = false;
  std::vector<std::unique_ptr<Worker>> workers_ HS_GUARDED_BY(mutex_);
  unsigned threads_ HS_GUARDED_BY(mutex_) = 0;     // that have not ended
  unsigned idle_ HS_GUARDED_BY(mutex_) = 0;        // of these: that wait, or are about to begin
  unsigned least_idle_ HS_GUARDED_BY(mutex_) = 0;  // at any moment of the present period
  unsigned surplus_ HS_GUARDED_BY(mutex_) = 0;     // threads that were not needed in the last one
  Clock::time_point period_end_ HS_GUARDED_BY(mutex_);
  std::array<LoginQueue, kKinds> queues_ HS_GUARDED_BY(mutex_);
  std::vector<Asking*> asking_ HS_GUARDED_BY(mutex_);  // the oldest question first
  LoginJobs delayed_ HS_GUARDED_BY(mutex_);            // in the order of their times
  uint64_t logins_ HS_GUARDED_BY(mutex_) = 0;
  uint64_t failed_ HS_GUARDED_BY(mutex_) = 0;
  uint64_t refused_ HS_GUARDED_BY(mutex_) = 0;
};

}  // namespace hs::server
