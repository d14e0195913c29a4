// The executors of a group of reactors: one for each reactor, a spare one, and more while leaders
// wait.
//
// An executor that is called makes sure that another one stands by, as long as there may be more.
// An executor that was made later and has not been called for a while ends, as long as another one
// stands by.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "engine/engine.h"
#include "exec/context.h"
#include "server/activity.h"
#include "server/config.h"
#include "server/dispatcher.h"
#include "server/executor.h"
#include "server/reactor_list.h"
#include "server/start_gate.h"

namespace hs::server {

// NOLINTNEXTLINE(cppcoreguidelines-virtual-class-destructor): final, and never deleted as its base
class ThreadPool final : public Dispatcher {
 public:
  struct Options {
    std::string name;                                  // of the threads, before their numbers
    exec::Context context;                             // but for the limits
    const SharedSettings* settings = nullptr;          // must outlive the pool
    std::vector<const protocol::Protocol*> protocols;  // of all clients
    SlowLog* slow_log = nullptr;                       // null: there is none
    Transactions* transactions = nullptr;              // must outlive the pool
    uint32_t max_threads = 1;
    std::chrono::milliseconds spare_time{10'000};  // how long a thread made later stands by
  };

  // All arguments must outlive the pool, which finds leaders for `reactors`.
  ThreadPool(Options options, ReactorList& reactors, engine::Engine& engine, const Log& log);
  ~ThreadPool() { join(); }

  // Makes the first threads, which wait at the gate. Throws std::exception when it cannot. Some may
  // have been made then.
  void start(const StartGate& gate);

  // Any thread, after start(), as all that follow: makes room for more threads, and for as many
  // reactors, of which none need be there yet. Throws std::bad_alloc: nothing has changed then.
  void reserve(size_t reactors, uint32_t max_threads);
  // Makes threads for reactors that need a leader. Throws std::exception when it cannot. Some may
  // have been made then.
  void lead_all();
  // There may be so many threads from here on. Those that are too many end when they stand by.
  void set_max_threads(uint32_t max_threads);

  void request_stop();
  // Waits for the threads and disconnects all clients. A second call does nothing.
  void join();

  void want_leader(Reactor& reactor) override;
  void want_watcher(Reactor& reactor) override;
  bool begin_wait() override;
  void end_wait() override;
  Call wait_for_call(Standby& standby, bool holds_tables) override;
  void pause(Standby& standby, std::chrono::milliseconds time) override;
  void call(Standby& standby) override;
  void grow() override;
  bool stopping() const override { return stop_.load(std::memory_order_relaxed); }

  void add_to(Statistics& sum) const;
  void add_to(LatencyStatus& sum) const;
  // Any thread: interrupts the request of the connection with this id that waits for a lock or works
  // for long, if there is one.
  void interrupt(uint64_t id);

 private:
  // One thread and its executor. The thread may have ended.
  struct Place {
    Place(std::string name, Executor::Environment& environment, Dispatcher& dispatcher)
        : executor(std::move(name), environment, dispatcher, standby) {}

    Standby standby;
    Executor executor;
    std::thread thread;
    bool ended = true;  // the thread has done everything: another one may be made here
  };

  void make_thread(const StartGate* gate) HS_REQUIRES(mutex_);
  Place& free_place() HS_REQUIRES(mutex_);
  void leave(Place& place);
  size_t first_threads() const HS_REQUIRES(mutex_);
  size_t led_reactors() const;
  bool is_spare() const HS_REQUIRES(mutex_);
  Standby* take_standby() HS_REQUIRES(mutex_);

  const std::string name_;
  const std::chrono::milliseconds spare_time_;
  Executor::Environment environment_;
  ReactorList& reactors_;
  std::atomic<bool> stop_{false};

  // How many more threads may wait for locks. Below 0 while too many do, since there may be fewer.
  std::atomic<int64_t> waits_left_;

  Mutex leave_mutex_;    // threads leave one after the other: one at a time shuts a reactor
  mutable Mutex mutex_;  // of all Standbys, too; no other lock is taken while it is held
  std::vector<std::unique_ptr<Place>> places_ HS_GUARDED_BY(mutex_);
  uint32_t max_threads_ HS_GUARDED_BY(mutex_);
  int64_t most_waits_ HS_GUARDED_BY(mutex_);  // what waits_left_ is when no thread waits
  size_t alive_ HS_GUARDED_BY(mutex_) = 0;
  size_t starting_ HS_GUARDED_BY(mutex_) = 0;  // threads that have not stood by yet
  // The last one is called first: its caches are warm.
  std::vector<Standby*> standing_by_ HS_GUARDED_BY(mutex_);
  // Reactors that want a leader, first come first served, and those that want a watcher.
  std::vector<Reactor*> without_leader_ HS_GUARDED_BY(mutex_);
  std::vector<Reactor*> without_watcher_ HS_GUARDED_BY(mutex_);
};

}  // namespace hs::server
