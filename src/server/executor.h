// One thread that executes: its place in the database, and its batch. It leads a reactor, or stands
// by until one wants a leader.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "engine/engine.h"
#include "exec/execute.h"
#include "server/batch.h"
#include "server/counters.h"
#include "server/reactor.h"

namespace hs::server {

class ThreadPool;

class Executor final : private Outlet {
 public:
  // `name` is that of the thread and in the server's process list, at most 15 bytes.
  Executor(std::string name, ThreadPool& pool) : name_(std::move(name)), pool_(pool) {}

  const std::string& name() const { return name_; }

  // The work of its thread, until the pool stops or the session is told to stop.
  void run();

  // Any thread: makes it look at should_stop().
  void wake();
  void add_to(Statistics& sum) const;

  // Its own thread's, while it runs; the batch also for who takes the lead from it.
  engine::Session& session() { return *session_; }
  Batch& batch() { return *batch_; }
  Counters& counters() { return counters_; }
  ThreadPool& pool() { return pool_; }
  bool should_stop() const;
  bool holds_tables = false;  // release() is due before it idles

  // One line in the error log, once in a while: every client may be able to cause it. Needs no
  // memory.
  void complain(std::string_view what, std::string_view detail = {}) noexcept;

 private:
  friend class ThreadPool;

  void serve();
  void lead(Reactor& reactor);
  void watch(Reactor& reactor);
  void prepare_successor() noexcept;
  void step_aside() override;
  bool send(Peer& peer) override;
  bool begin_wait() override;
  void end_wait() override;
  static engine::SessionEvents events(Executor* executor);
  void report(std::string_view what, std::string_view detail = {}) const noexcept;

  const std::string name_;
  ThreadPool& pool_;
  Counters counters_;
  std::unique_ptr<engine::Session> session_;
  std::optional<Batch> batch_;
  std::atomic<Reactor*> reactor_{nullptr};  // that it leads, or whose batch it finishes
  int waits_ = 0;                           // nested ones of the session
  int64_t last_complaint_ms_ = 0;

  // Guarded by the pool:
  std::condition_variable called_;
  bool is_called_ = false;
  bool started_ = false;
  std::thread thread_;
  bool retired_ = false;  // its thread ends, or has ended, since it was not needed
  bool ended_ = false;    // its thread has done everything: another one may be made for it
};

}  // namespace hs::server
