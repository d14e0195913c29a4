// The whole network server over some engine: endpoints, the reactors and threads that serve them,
// start and stop.
//
// Used by the MariaDB plugin and by the server on the fake engine. Not thread-safe unless a
// function says so.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "server/activity.h"
#include "server/config.h"
#include "server/connections.h"
#include "server/slow_log.h"
#include "server/statistics.h"

namespace hs::server {

class Server {
 public:
  // Binds every endpoint and starts all threads, or starts nothing, sets *error to one clear
  // sentence and returns null. `engine` must outlive the server. Reactors accept traffic once
  // engine.wait_until_ready() returned.
  static std::unique_ptr<Server> start(const Config& config, engine::Engine& engine, const Log& log,
                                       std::string* error);

  virtual ~Server() = default;  // stops

  // Closes listeners and connections (clients see EOF) and joins every thread. Idempotent. A
  // request that is waiting inside the engine must be interrupted by the caller's engine first.
  virtual void stop() = 0;

  // Any thread: from here on. What there is of connections and memory is not cut to lower limits.
  virtual void change(const Settings& settings) = 0;

  // Any thread, likewise: so many threads serve each mode at the same time, and there may be so many
  // in all (Config). Connections of a thread that is too many stay with it, and it ends when the
  // last of them has gone. False: *error is one clear sentence, and nothing has changed.
  virtual bool resize(uint32_t read_threads, uint32_t write_threads, uint32_t max_threads,
                      std::string* error) = 0;

  // Any thread, likewise: listens at these places and no others. What is new is bound first. A place
  // that stays goes on listening. Connections stay, on the terms on which they came. False: *error
  // is one clear sentence, and nothing has changed. May ask the network for names, and for threads.
  virtual bool relisten(const std::vector<EndpointConfig>& endpoints, uint32_t backlog,
                        std::string* error) = 0;

  // The port that the first TCP endpoint of this mode and protocol has bound: it differs from Config
  // where that said 0. 0: there is none.
  uint16_t port(engine::Mode mode) const {
    return port(mode, protocol::handlersocket::line_protocol());
  }
  virtual uint16_t port(engine::Mode mode, const protocol::Protocol& spoken) const = 0;

  // Any thread, while the server lives, as all that follow: sums over all threads.
  virtual Statistics statistics() const = 0;

  virtual std::vector<ConnectionStatus> connections() const = 0;
  virtual std::vector<IndexStatus> indexes() const = 0;
  virtual std::vector<LatencyStatus> latencies() const = 0;
  virtual SlowLog& slow_log() = 0;
  // Closes one connection, whatever it does. A request that waits or works for long is interrupted.
  // Does not wait for the end. False: there is no connection with this id.
  virtual bool kill(uint64_t id) = 0;
};

}  // namespace hs::server
