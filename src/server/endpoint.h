// One place where the server listens: its listener, the thread that accepts, and the group of
// reactors that serves the accepted connections.
#pragma once

#include <climits>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/counter.h"
#include "net/acceptor.h"
#include "net/listener.h"
#include "net/transport.h"
#include "server/config.h"
#include "server/reactor_group.h"
#include "server/start_gate.h"
#include "server/statistics.h"

namespace hs::server {

class Endpoint {
 public:
  // Called on the thread that accepts: whether the connection with this descriptor may stay. If
  // not, it logs the reason.
  using Admits = std::function<bool(int)>;
  static constexpr int kLastDescriptor = INT_MAX;  // no descriptor is left behind it

  // How many descriptors an endpoint has besides its connections: those of the acceptor, and the
  // listening sockets.
  static constexpr uint64_t kOwnDescriptors = 4;

  // Listens, but makes no thread. Null: *error is one sentence. `group` must outlive the endpoint.
  // The endpoint must outlive every connection that it has accepted.
  static std::unique_ptr<Endpoint> open(const Config& config, const EndpointConfig& endpoint,
                                        ReactorGroup& group, const Log& log, Admits admits,
                                        std::string* error);
  ~Endpoint();  // stops and joins the thread

  // Makes the thread, which waits at the gate. Throws std::exception when it cannot.
  void make_thread(const StartGate& gate);

  // Asks the thread to end. No more connections are taken afterwards.
  void request_stop();
  // Waits for the thread, which needs the gate to be open, and stops listening. A second call does
  // nothing.
  void join();

  // Before join(): the buffers of the sockets that are accepted from here on.
  void set_buffers(uint32_t sndbuf, uint32_t rcvbuf) { listener_->set_buffers(sndbuf, rcvbuf); }

  engine::Mode mode() const { return config_.mode; }
  uint16_t port() const { return port_; }  // that is bound; 0: a Unix socket
  const std::string& place() const { return listener_->place(); }  // until join()
  void add_to(Statistics& sum) const;

 private:
  Endpoint(const EndpointConfig& config, ReactorGroup& group, Admits admits);

  void take(net::Transport client);
  void refuse(net::Transport& client);

  const EndpointConfig config_;
  ReactorGroup& group_;
  const Admits admits_;
  const std::string refusal_;  // for a client that is refused
  uint16_t port_ = 0;
  std::string place_;  // what the operator calls it: "127.0.0.1:9998", "/run/hs.sock"
  std::unique_ptr<net::Listener> listener_;
  std::unique_ptr<net::Acceptor> acceptor_;
  std::thread thread_;
  Counter accepted_;
  Counter refused_;
};

}  // namespace hs::server
