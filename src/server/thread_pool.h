// The executors of a port: a few more than lead its reactors, and more when those wait.
//
// At first there is one for each reactor and one that stands by. Whoever is called takes care that
// another one stands by, up to the most there may be. One that is more than the first and has not
// been called for a while ends, as long as another stands by.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/engine.h"
#include "exec/execute.h"
#include "server/executor.h"
#include "server/reactor.h"
#include "server/seldom.h"
#include "server/server.h"
#include "server/start_gate.h"

namespace hs::server {

class ThreadPool {
 public:
  struct Options {
    std::string name;  // of the threads, before their numbers
    exec::Context context;
    uint32_t max_threads = 1;
    std::chrono::milliseconds spare_time{10'000};  // that one more than the first stands by
  };

  // All must outlive the pool. The reactors are those that it shall find leaders for.
  ThreadPool(Options options, std::vector<std::unique_ptr<Reactor>>& reactors,
             engine::Engine& engine, const Log& log);
  ~ThreadPool() { join(); }

  // Makes the first threads, which wait at the gate. Throws std::exception when it cannot: some may
  // have been made.
  void start(const StartGate& gate);

  void request_stop();
  // Waits for the threads and disconnects all clients. A second call does nothing.
  void join();

  // Any thread, also inside the engine: calls an executor, at once or as soon as one stands by.
  void want_leader(Reactor& reactor);
  // Calls one that stands by, if any, to look after the reactor's leader.
  void want_watcher(Reactor& reactor);
  // Any thread: ends wait_for_call() or pause() of that executor, now or the next one.
  void call(Executor& executor);

  // Whether one more thread may wait for a lock in the engine; it calls end_wait() then. So many
  // may that others are left to lead the reactors. Any thread.
  bool begin_wait();
  void end_wait();

  // The executors' threads:
  struct Call {
    enum What { kNothing, kLead, kWatch, kEnd } what = kNothing;
    Reactor* reactor = nullptr;
  };
  // Stands by. kNothing: it was called for something else, or has held tables for long enough.
  Call wait_for_call(Executor& executor, bool holds_tables);
  void pause(Executor& executor, std::chrono::milliseconds time);
  // Makes another thread if nobody stands by.
  void grow();

  bool stopping() const { return stop_.load(std::memory_order_relaxed); }
  engine::Engine& engine() { return engine_; }
  const exec::Context& context() const { return options_.context; }
  const Log& log() const { return log_; }
  Seldom& about_foreigners() { return about_foreigners_; }
  void add_to(Statistics& sum) const;

 private:
  void make_thread(const StartGate* gate);
  Executor& free_place();
  void leave(Executor& executor);
  size_t first_threads() const;
  bool is_spare() const;
  void call_next();

  const Options options_;
  std::vector<std::unique_ptr<Reactor>>& reactors_;
  engine::Engine& engine_;
  const Log log_;
  Seldom about_foreigners_;
  std::atomic<bool> stop_{false};

  std::atomic<uint32_t> waits_left_;  // threads more that may wait for locks

  std::mutex leave_mutex_;    // one leaves after the other, since one at a time shuts a reactor
  mutable std::mutex mutex_;  // of what follows; never held while anything else is locked
  std::vector<std::unique_ptr<Executor>> executors_;  // also those whose threads have ended
  size_t alive_ = 0;
  size_t starting_ = 0;                    // threads that have not stood by yet
  std::vector<Executor*> standing_by_;     // the last one is called first: its caches are warm
  std::vector<Reactor*> without_leader_;   // that want one, in their order
  std::vector<Reactor*> without_watcher_;  // likewise
};

}  // namespace hs::server
