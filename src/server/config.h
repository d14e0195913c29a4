// The configuration of the network server: where it listens, how many threads serve, and every
// limit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "engine/engine.h"
#include "exec/client.h"
#include "mapping/directory.h"
#include "net/socket_rights.h"
#include "net/tls_context.h"
#include "protocol/codec.h"
#include "protocol/handlersocket/codec.h"
#include "server/login_pool.h"
#include "server/settings.h"

namespace hs::server {

// The address of an endpoint that is a Unix socket. Its `port` is the socket's path then.
inline constexpr std::string_view kUnixSocket = "/";

// One place to listen, what is spoken there, and what is asked of its clients.
struct EndpointConfig {
  std::string address = "127.0.0.1";  // IPv4 or IPv6 literal or a name; empty = all; kUnixSocket
  std::string port;                   // decimal port or service name; "0" = any free port
  net::SocketRights socket_rights{};  // of a Unix socket
  engine::Mode mode = engine::Mode::kReadOnly;
  exec::Authentication authentication{};
  // Other machines may reach the endpoint even if it asks for no authentication.
  bool allow_unauthenticated = false;
  const protocol::Protocol* protocol = &protocol::handlersocket::line_protocol();
  // The system variables that the endpoint comes from, for messages.
  std::string_view address_variable = "handlersocket_address";
  std::string_view port_variable = "handlersocket_port";
};

// Whether two endpoints are one place, also by two ways to write its port. Two ports 0 are
// different.
bool same_place(const EndpointConfig& one, const EndpointConfig& other);

// The log of slow requests (server/slow_log.h).
struct SlowLogConfig {
  enum class Form : uint8_t { kMariadb, kMysql };  // whose tools read it

  bool on = false;
  int64_t threshold_ns = 10'000'000'000;
  std::string file = "handlersocket-slow.log";
  Form form = Form::kMariadb;
};

// One for each eight cores, from 1 to 4. Fewer threads make larger batches, which share a commit,
// and one executes more changes than a commit of most disks lets through.
uint32_t default_write_threads(uint32_t cores);

// The settings are those at the start.
struct Config : Settings {
  std::vector<EndpointConfig> endpoints;
  net::TlsContext* tls = nullptr;  // null: there is no TLS; must outlive the server
  // For all endpoints of one mode together.
  uint32_t read_threads = 16;  // 1..3000
  uint32_t write_threads = default_write_threads(std::thread::hardware_concurrency());
  uint32_t max_threads = 256;         // including threads that wait; at least as many as above
  uint32_t spare_thread_ms = 10'000;  // how long a spare thread stands by before it ends
  uint32_t backlog = 32768;
  // What clients are told that ask. They must outlive the server.
  std::string_view version = "0";         // of this program
  std::string_view server_version = "0";  // of the database
  SlowLogConfig slow_log{};
  LoginPool::Options logins;
  // Which tables the keys of other protocols name; null: none. Must outlive the server.
  mapping::Directory* directory = nullptr;
  int64_t (*now_ns)() = monotonic_ns;  // the clock of work and of commits

  uint32_t threads(engine::Mode mode) const {
    return mode == engine::Mode::kReadOnly ? read_threads : write_threads;
  }
};

// The addresses of a list. They are separated by commas, with or without blanks. One empty address
// when the whole list is empty. False: *error is one sentence.
bool split_addresses(std::string_view list, std::vector<std::string>* addresses,
                     std::string* error);

// Where messages for the operator go. No function is null. Each may be called from any thread and
// must not throw.
struct Log {
  void (*info)(std::string_view message);
  void (*warning)(std::string_view message);
  void (*error)(std::string_view message);
};

}  // namespace hs::server
