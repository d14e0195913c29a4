// One thread's share of a port: its connections, its session and the loop that brings them
// together.
//
//   wait for requests -> one batch of them -> commit -> send the replies -> let others at the
//   tables
//
// While requests flow, the session keeps its tables; after a short time without it gives them back,
// and the thread sleeps until there is traffic.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "engine/port.h"
#include "exec/execute.h"
#include "net/event_loop.h"
#include "server/batch.h"
#include "server/counters.h"
#include "server/peer.h"
#include "server/server.h"

namespace hs::server {

class Worker {
 public:
  struct Options {
    std::string name;  // of the thread and in the server's process list, at most 15 bytes
    exec::Context context;
    size_t read_size = kReadSize;
    uint32_t idle_timeout_s = 300;
  };

  // Null when the process is out of descriptors. `engine` must outlive the worker.
  static std::unique_ptr<Worker> create(Options options, engine::Engine& engine, const Log& log);

  const std::string& name() const { return options_.name; }

  // The work of its thread, until request_stop() or until the session is told to stop. Clients are
  // disconnected then, and adopt() takes no more.
  void run();

  // Any thread.
  void request_stop();
  bool adopt(net::FileDescriptor& socket) { return loop_->adopt(socket); }
  uint32_t connections() const { return loop_->connections(); }
  void add_to(Statistics& sum) const;

 private:
  Worker(Options options, engine::Engine& engine, const Log& log);

  void serve(engine::Session& session);
  void run_batch(Batch& batch, engine::Session& session);
  void settle(Peer& peer);
  void abandon(Batch& batch, engine::Session& session);
  void complain(std::string_view what);
  void report(std::string_view what) const;

  const Options options_;
  engine::Engine& engine_;
  const Log log_;
  std::atomic<bool> stop_{false};
  Counters counters_;
  exec::SpecPool pool_;  // outlives the peers, which the loop owns
  std::unique_ptr<net::EventLoop> loop_;

  Queue queue_;  // peers that have something for the next batch
  std::vector<net::Connection*> ready_;
  int64_t last_complaint_ms_ = 0;
};

}  // namespace hs::server
