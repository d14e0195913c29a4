// Everything that serves the endpoints of one mode: the reactors that share the connections, and
// the threads that lead them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory.h"
#include "base/mutex.h"
#include "engine/engine.h"
#include "exec/client.h"
#include "server/activity.h"
#include "server/config.h"
#include "server/reactor_list.h"
#include "server/start_gate.h"
#include "server/statistics.h"
#include "server/thread_pool.h"

namespace hs::server {

class ReactorGroup {
 public:
  // How many descriptors the group of a mode will have besides its connections.
  static uint64_t own_descriptors(const Config& config, engine::Mode mode);

  // What all groups share. Must outlive them.
  struct Shared {
    const SharedSettings& settings;
    Memory& memory;  // where the group counts its memory
    Connections& connections;
    SlowLog& slow_log;
    LoginPool& logins;
    protocol::ServerView& view;
  };

  // Makes the reactors, but no thread. Null: *error is one sentence. `engine` must outlive the
  // group.
  static std::unique_ptr<ReactorGroup> create(const Config& config, engine::Mode mode,
                                              engine::Engine& engine, const Log& log,
                                              const Shared& shared, std::string* error);
  ~ReactorGroup();  // stops and joins the threads

  // Makes the threads, which wait at the gate. Throws std::exception when it cannot. Some may have
  // been made then: open the gate with false.
  void make_threads(const StartGate& gate) { pool_->start(gate); }

  // One thread at a time, after make_threads(): so many reactors share the connections that come,
  // and there may be so many threads. A reactor that is too many ends when its last connection has
  // gone. False: *error is one sentence, and nothing has changed.
  bool resize(uint32_t reactors, uint32_t max_threads, std::string* error);

  // Asks every thread to end.
  void request_stop();
  // Waits for the threads, which need the gate to be open, and disconnects all clients. A second
  // call does nothing.
  void join();

  // Any thread, as all functions that follow. Gives an endpoint's client to the reactor that has
  // the fewest. False: the transport stays the caller's, since no reactor is left, or there are as
  // many connections as there may be (max_connections). May throw std::bad_alloc; the transport
  // stays the caller's then, too.
  bool adopt(net::Transport& transport, const TermsPtr& terms);
  // Ends the connection with this id, which was marked as killed, if it is one of the group's.
  void close_killed(uint64_t id);
  bool is_full() const;
  // Makes the reactors look at the settings.
  void wake() const;
  // Whether any reactor still takes connections.
  bool takes_connections() const;

  engine::Mode mode() const { return mode_; }
  uint64_t connections() const;  // at present
  // How many descriptors the group has besides them, those of reactors that are too many included.
  uint64_t own_descriptors() const;
  void add_to(Statistics& sum) const;
  void add_to(LatencyStatus& sum) const;
  void add_to(std::vector<IndexStatus>& indexes) const;

 private:
  ReactorGroup(engine::Mode mode, const Config& config, engine::Engine& engine,
               const Shared& shared);
  uint32_t max_connections() const;
  Reactor* least_busy() HS_REQUIRES(mutex_);

  bool add_reactors(size_t number, std::string* error);

  const engine::Mode mode_;
  Reactor::Options reactor_options_;
  size_t size_ = 0;           // how many of reactors_ take connections
  uint32_t max_threads_ = 0;  // at least as many
  const SharedSettings& settings_;
  Connections& connections_;
  exec::SpecPool specs_;
  exec::GtidWaits gtid_waits_;
  Transactions transactions_;
  ReactorList reactors_;
  std::optional<ThreadPool> pool_;
  mutable Mutex mutex_;
  std::vector<Reactor*> taking_ HS_GUARDED_BY(mutex_);  // the reactors that have not ended
};

// The short name of a mode's threads: "hs-rd-" or "hs-wr-".
std::string_view thread_prefix(engine::Mode mode);
// The system variable for the number of these threads, for messages.
std::string_view threads_variable(engine::Mode mode);

}  // namespace hs::server
