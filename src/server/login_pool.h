// The threads that log clients in to accounts of the database. A login may take long, and a client
// that guesses is kept waiting for its answer, so none of this happens on a thread that serves
// connections.
//
//   the leader of a reactor: submit(peer)  ->  a thread here: Login::carry_out()
//     -> the reactor: take_back(peer), at once or after a delay
//
// Bounded: the threads, and how many peers wait for one of them. A peer whose login has failed waits
// here without a thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "base/counter.h"
#include "base/mutex.h"
#include "engine/engine.h"
#include "server/peer.h"
#include "server/start_gate.h"
#include "server/statistics.h"

namespace hs::server {

// Where a peer goes on after its login.
class LoginReceiver {
 public:
  virtual ~LoginReceiver() = default;
  // Called on a thread of the pool. The peer's login is done.
  virtual void take_back(Peer& peer) = 0;
};

class LoginPool {
 public:
  struct Options {
    unsigned threads = 2;
    size_t most_waiting = 128;
    // A login that has waited for longer is refused.
    std::chrono::milliseconds longest_wait{10'000};
    // How long the answer to a failed login is kept back.
    std::chrono::milliseconds failure_delay{500};
  };

  // Makes no thread. `engine` must outlive the pool.
  LoginPool(const Options& options, engine::Engine& engine);
  ~LoginPool();  // stops
  LoginPool(const LoginPool&) = delete;
  LoginPool& operator=(const LoginPool&) = delete;

  // Makes the threads, which wait at the gate. Throws std::exception when it cannot.
  void make_threads(const StartGate& gate);

  // Any thread: takes the peer, which is detached and whose login is kWanted, until
  // receiver.take_back(). False: the peer stays the caller's, and its login is refused, since too
  // many wait or the pool stops.
  bool submit(Peer& peer, LoginReceiver& receiver);

  // Takes no more logins. Those that are carried out go on to their end.
  void request_stop();
  // Waits for the threads, which need the gate to be open. Then gives every peer back.
  void join();

  void add_to(Statistics& sum) const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Job {
    Peer* peer;
    LoginReceiver* receiver;
    Clock::time_point time;  // waiting_: when it came; delayed_: when it goes back
  };

  void run();
  void carry_out(const Job& job);
  bool take_job(Job* job) HS_EXCLUDES(mutex_);

  const Options options_;
  engine::Engine& engine_;
  std::vector<std::thread> threads_;
  mutable Mutex mutex_;
  Condition changed_;
  bool stopping_ HS_GUARDED_BY(mutex_) = false;
  std::deque<Job> waiting_ HS_GUARDED_BY(mutex_);
  std::deque<Job> delayed_ HS_GUARDED_BY(mutex_);  // in the order of their times
  uint64_t logins_ HS_GUARDED_BY(mutex_) = 0;
  uint64_t failed_ HS_GUARDED_BY(mutex_) = 0;
  uint64_t refused_ HS_GUARDED_BY(mutex_) = 0;
};

}  // namespace hs::server
