// The whole network server over some engine: two listeners, their reactors, start and stop.
//
// Used by the MariaDB plugin and by the server on the fake engine. Thread-safe where it says so.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/limits.h"
#include "engine/engine.h"
#include "net/socket_rights.h"
#include "server/statistics.h"

namespace hs::server {

// One listening port and its reactors.
struct PortConfig {
  std::string
      port;  // decimal port or service name; empty = this listener is off. "0" = any free port
  uint32_t threads = 1;  // 1..3000
  std::string secret{};  // clients must authenticate with it; empty = they need not
};

struct Config {
  std::string address = "127.0.0.1";  // IPv4 or IPv6 literal or a name; empty = all; "/" = `port`
                                      // is the path of a Unix socket
  net::SocketRights socket_rights;    // of that socket
  PortConfig read{"9998", 16};
  PortConfig write{"9999", 4};
  uint32_t max_threads = 256;  // of each port, those that wait included; at least its `threads`
  uint32_t spare_thread_ms = 10'000;  // that a thread stands by before it ends, if more than one do
  uint32_t idle_timeout_s = 300;      // a connection without traffic is closed after that
  uint32_t spin_us = 20;              // how long a reactor looks for requests before it sleeps
  uint32_t backlog = 32768;
  uint32_t sndbuf = 0;    // bytes, 0 = the system's
  uint32_t rcvbuf = 0;    // bytes, 0 = the system's
  uint32_t readsize = 0;  // bytes read from one connection in one cycle, 0 = kReadSize
  Limits limits;
  int64_t (*now_ns)() = monotonic_ns;  // by which work is measured (see exec/meter.h)
};

// Where messages for the operator go: none is null, each is callable from any thread and does not
// throw.
struct Log {
  void (*info)(std::string_view message);
  void (*warning)(std::string_view message);
  void (*error)(std::string_view message);
};

class Server {
 public:
  // Binds both listeners and starts all threads, or starts nothing, sets *error to one clear
  // sentence and returns null. `engine` must outlive the server. Reactors accept traffic once
  // engine.wait_until_ready() returned.
  static std::unique_ptr<Server> start(const Config& config, engine::Engine& engine, const Log& log,
                                       std::string* error);

  virtual ~Server() = default;  // stops

  // Closes listeners and connections (clients see EOF) and joins every thread. Idempotent. A
  // request that is waiting inside the engine must be interrupted by the caller's engine first.
  virtual void stop() = 0;

  // The ports really bound (they differ from Config when that said 0); 0 when off or a Unix socket.
  virtual uint16_t read_port() const = 0;
  virtual uint16_t write_port() const = 0;

  // Sums over all threads; callable from any thread while the server lives.
  virtual Statistics statistics() const = 0;
};

}  // namespace hs::server
