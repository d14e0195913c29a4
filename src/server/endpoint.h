// One place where the server listens: its listener, the thread that accepts, and the group of
// reactors that serves the accepted connections.
#pragma once

#include <climits>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>

#include "base/counter.h"
#include "base/mutex.h"
#include "net/acceptor.h"
#include "net/listener.h"
#include "net/transport.h"
#include "server/config.h"
#include "server/reactor_group.h"
#include "server/start_gate.h"
#include "server/statistics.h"
#include "server/terms.h"

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
  // `leaving`: endpoints for which share_port() was called, and whose ports it takes over if need be.
  static std::unique_ptr<Endpoint> open(const Config& config, const EndpointConfig& endpoint,
                                        ReactorGroup& group, const Log& log, Admits admits,
                                        std::span<Endpoint* const> leaving, std::string* error);
  ~Endpoint();  // stops and joins the thread

  // Makes the thread, which waits at the gate. Throws std::exception when it cannot.
  void make_thread(const StartGate& gate);

  // Asks the thread to end. No more connections are taken afterwards.
  void request_stop();
  // Waits for the thread, which needs the gate to be open, and stops listening. A second call does
  // nothing.
  void join();

  // Whether it is this endpoint, but for what it asks of clients and the rights of its file.
  bool is_at(const EndpointConfig& endpoint) const;
  // Before join(): whether it may serve on the terms of `endpoint`, at which it is. False: *error is
  // one sentence.
  bool may_become(const EndpointConfig& endpoint, std::string* error) const;
  // Before join(): the rights of the socket's file. False: *error is one sentence.
  bool set_rights(const EndpointConfig& endpoint, std::string* error);
  // Before join(): the connections that come from here on are served on these terms.
  void become(const EndpointConfig& endpoint, uint32_t backlog);
  const EndpointConfig& config() const { return config_; }
  // Before join(): whether another endpoint may take over its port.
  void share_port(bool share) { listener_->share_port(share); }
  // Before join(): the buffers of the sockets that are accepted from here on.
  void set_buffers(uint32_t sndbuf, uint32_t rcvbuf) { listener_->set_buffers(sndbuf, rcvbuf); }

  engine::Mode mode() const { return group_.mode(); }
  const protocol::Protocol& protocol() const { return protocol_; }
  uint16_t port() const { return port_; }  // that is bound; 0: a Unix socket
  const std::string& place() const { return listener_->place(); }  // until join()
  void add_to(Statistics& sum) const;

 private:
  Endpoint(const EndpointConfig& config, ReactorGroup& group, Admits admits);

  void take(net::Transport client);
  void refuse(net::Transport& client);
  TermsPtr terms() const HS_EXCLUDES(terms_mutex_);
  TermsPtr make_terms() const;

  EndpointConfig config_;  // changed by become() and set_rights(), and not used by the thread
  ReactorGroup& group_;
  const Admits admits_;
  const protocol::Protocol& protocol_;
  const std::string refusal_;  // for a client that is refused
  uint16_t port_ = 0;
  mutable Mutex terms_mutex_;
  TermsPtr terms_ HS_GUARDED_BY(terms_mutex_);
  std::unique_ptr<net::Listener> listener_;
  std::unique_ptr<net::Acceptor> acceptor_;
  std::thread thread_;
  Counter refused_;
};

}  // namespace hs::server
