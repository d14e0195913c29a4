// One listening port: its listener, the thread that accepts, and the reactors among which it spreads
// the connections.
#pragma once

#include <atomic>
#include <climits>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/counter.h"
#include "base/memory.h"
#include "engine/engine.h"
#include "exec/client.h"
#include "net/acceptor.h"
#include "net/listener.h"
#include "server/reactor.h"
#include "server/server.h"
#include "server/start_gate.h"
#include "server/thread_pool.h"

namespace hs::server {

class Port {
 public:
  // Whether a connection may stay that was accepted as this descriptor; says why not. On the thread
  // that accepts.
  using Admits = std::function<bool(int)>;
  static constexpr int kLastDescriptor = INT_MAX;  // there is none behind it

  // Descriptors that a port has besides its connections.
  static uint64_t own_descriptors(const PortConfig& config);

  // Listens, and makes the reactors, but no thread. Null: *error is one sentence. `engine`, and
  // `memory` in which it counts, must outlive the port.
  static std::unique_ptr<Port> open(const Config& config, engine::Mode mode, engine::Engine& engine,
                                    const Log& log, Memory& memory, Admits admits,
                                    std::string* error);
  ~Port();  // stops and joins

  // Makes the threads, which wait at the gate. False: *error is one sentence, and some may have
  // been made; open the gate with false then.
  bool make_threads(const StartGate& gate, std::string* error);

  // Asks every thread to end: no more connections are taken, those there are get closed.
  void request_stop();
  // Waits for the threads, once the gate is open, and stops listening. A second call does nothing.
  void join();

  uint16_t number() const { return listener_->port(); }
  const std::string& place() const { return listener_->place(); }
  size_t threads() const { return reactors_.size(); }
  uint64_t connections() const;  // now
  void add_to(Statistics& sum) const;

 private:
  Port(const Config& config, engine::Mode mode, const Log& log, Memory& memory, Admits admits);

  void take(net::FileDescriptor socket);
  Reactor* least_busy();
  void refuse(const net::FileDescriptor& socket);

  const PortConfig config_;
  const uint32_t max_connections_;
  const engine::Mode mode_;
  const Log log_;
  const Admits admits_;
  const std::string refusal_;  // the line for a client that is one too many

  std::unique_ptr<net::Listener> listener_;
  std::unique_ptr<net::Acceptor> acceptor_;
  exec::SpecPool specs_;
  std::vector<std::unique_ptr<Reactor>> reactors_;
  std::vector<Reactor*>
      taking_;  // the reactors that have not ended, as the acceptor's thread knows
  std::optional<ThreadPool> pool_;
  std::thread acceptor_thread_;
  Counter accepted_;
  Counter refused_;
};

// The names of the system variables that configure the port of this mode, for messages.
std::string_view port_variable(engine::Mode mode);
std::string_view threads_variable(engine::Mode mode);

}  // namespace hs::server
