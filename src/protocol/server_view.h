// What a command may ask about the server that carries it out, and about its connections.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hs::protocol {

// A connection, as another one sees it.
struct SeenConnection {
  uint64_t id = 0;
  std::string address;   // of the client, with its port; without one on a Unix socket
  std::string endpoint;  // where the client came in
  std::string user;      // of its account; empty: it has none
  std::string name;      // what the client calls itself
  int64_t age_ms = 0;
  int64_t idle_ms = 0;
  uint64_t requests = 0;
  uint64_t bytes_received = 0;
  uint64_t bytes_sent = 0;
  bool may_be_ended = false;  // by the one that asks
};

// Of the server, with all its ports.
struct ServerNumbers {
  int64_t uptime_ms = 0;
  uint64_t connections = 0;  // at present
  uint64_t max_connections = 0;
  uint64_t connections_accepted = 0;
  uint64_t connections_refused = 0;
  uint64_t requests = 0;
  uint64_t errors = 0;
  uint64_t bytes_received = 0;
  uint64_t bytes_sent = 0;
  uint64_t memory = 0;        // bytes that connections hold
  uint64_t max_memory = 0;    // 0: no bound
  bool is_read_only = false;  // the database takes no changes
};

// Any thread. `asker`: the connection that asks, on its own thread.
class ServerView {
 public:
  virtual ~ServerView() = default;
  // Those that the asker's account may see, in the order of their ids; without an account those of
  // its own endpoint. The asker is among them. May throw std::bad_alloc.
  virtual std::vector<SeenConnection> connections(uint64_t asker) const = 0;
  // Closes one of them that may be ended. Does not wait for its end. False: it has gone.
  virtual bool end_connection(uint64_t id) = 0;
  virtual ServerNumbers numbers() const = 0;
};

}  // namespace hs::protocol
