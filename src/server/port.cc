#include "server/port.h"

#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>

#include "protocol/handlersocket/reply_encoder.h"
#include "server/thread.h"

namespace hs::server {
namespace {

constexpr std::string_view kUnixSocket = "/";  // as an address

std::string refusal_line() {
  Buffer line;
  protocol::handlersocket::ReplyEncoder encoder(0);
  encoder.set_target(line);
  encoder.error(Error{ErrorCode::kTooManyConnections, 0, {}});
  return std::string(line.view());
}

std::string in_parentheses(std::string_view variable) { return " (" + std::string(variable) + ")"; }

std::string_view variable_of(net::ListenError::About about, engine::Mode mode) {
  switch (about) {
    case net::ListenError::About::kAddress:
      return "handlersocket_address";
    case net::ListenError::About::kGroup:
      return "handlersocket_socket_group";
    case net::ListenError::About::kPlace:
      break;
  }
  return port_variable(mode);
}

std::string short_name(engine::Mode mode) {
  return mode == engine::Mode::kReadOnly ? "hs-rd-" : "hs-wr-";
}

bool listen_options(const Config& config, const PortConfig& port, net::ListenOptions* options,
                    std::string* error) {
  options->backlog = config.backlog;
  options->sndbuf = config.sndbuf;
  options->rcvbuf = config.rcvbuf;
  if (config.address == kUnixSocket) {
    options->path = port.port;
    options->rights = config.socket_rights;
    return true;
  }
  options->address = config.address;
  return net::resolve_port(port.port, &options->port, error);
}

}  // namespace

std::string_view port_variable(engine::Mode mode) {
  return mode == engine::Mode::kReadOnly ? "handlersocket_port" : "handlersocket_port_wr";
}

std::string_view threads_variable(engine::Mode mode) {
  return mode == engine::Mode::kReadOnly ? "handlersocket_threads" : "handlersocket_threads_wr";
}

uint64_t Port::own_descriptors(const PortConfig& config) {
  constexpr uint64_t kOfReactor = 2;   // an epoll and an eventfd
  constexpr uint64_t kOfAcceptor = 4;  // its own, and the listening sockets
  return config.port.empty() ? 0 : kOfReactor * config.threads + kOfAcceptor;
}

Port::Port(const Config& config, engine::Mode mode, const Log& log, Memory& memory, Admits admits)
    : config_(mode == engine::Mode::kReadOnly ? config.read : config.write),
      max_connections_(config.limits.max_connections),
      mode_(mode),
      log_(log),
      admits_(std::move(admits)),
      refusal_(refusal_line()),
      specs_(&memory) {}

Port::~Port() {
  request_stop();
  join();
}

std::unique_ptr<Port> Port::open(const Config& config, engine::Mode mode, engine::Engine& engine,
                                 const Log& log, Memory& memory, Admits admits,
                                 std::string* error) {
  std::unique_ptr<Port> port(new Port(config, mode, log, memory, std::move(admits)));
  net::ListenOptions options;
  if (!listen_options(config, port->config_, &options, error)) {
    *error += in_parentheses(port_variable(mode));
    return nullptr;
  }
  net::ListenError failed;
  port->listener_ = net::Listener::open(options, &failed);
  if (port->listener_ == nullptr) {
    *error = failed.text + in_parentheses(variable_of(failed.about, mode));
    return nullptr;
  }

  net::Acceptor::Handlers handlers;
  handlers.accepted = [raw = port.get()](net::FileDescriptor socket) {
    raw->take(std::move(socket));
  };
  handlers.refused = [raw = port.get()](net::FileDescriptor socket) {
    raw->admits_(kLastDescriptor);  // says why
    raw->refuse(socket);
  };
  handlers.warning = log.warning;
  port->acceptor_ = std::make_unique<net::Acceptor>(*port->listener_, std::move(handlers));
  bool made = static_cast<bool>(*port->acceptor_);
  for (uint32_t i = 0; made && i < port->config_.threads; ++i) {
    Reactor::Options reactor;
    if (config.readsize > 0) reactor.read_size = config.readsize;
    reactor.high_water = config.limits.max_buffered;
    reactor.idle_timeout_s = config.idle_timeout_s;
    reactor.spin_us = config.spin_us;
    reactor.gathers = mode == engine::Mode::kReadWrite;
    port->reactors_.push_back(Reactor::create(reactor, port->specs_));
    made = port->reactors_.back() != nullptr;
    port->taking_.push_back(port->reactors_.back().get());
  }
  if (made) {
    ThreadPool::Options pool;
    pool.name = short_name(mode);
    pool.context = {mode, config.limits, port->config_.secret, config.now_ns};
    pool.max_threads = std::max(config.max_threads, port->config_.threads);
    pool.spare_time = std::chrono::milliseconds(config.spare_thread_ms);
    port->pool_.emplace(std::move(pool), port->reactors_, engine, log);
    return port;
  }
  port->reactors_.clear();
  *error = "too few file descriptors for " + std::to_string(port->config_.threads) + " threads" +
           in_parentheses(threads_variable(mode));
  return nullptr;
}

bool Port::make_threads(const StartGate& gate, std::string* error) {
  std::string name = short_name(mode_) + "N";
  try {
    pool_->start(gate);
    name = short_name(mode_) + "accept";
    acceptor_thread_ = start_thread(name, [&gate, this] {
      if (gate.wait()) acceptor_->run();
    });
    return true;
  } catch (const std::exception& failed) {
    *error = "cannot start the thread " + name + ": " + failed.what() +
             in_parentheses(threads_variable(mode_));
    return false;
  }
}

void Port::request_stop() {
  if (acceptor_ != nullptr) acceptor_->stop();
  if (pool_) pool_->request_stop();
}

void Port::join() {
  // Not to listen comes first: executors may have to wait for the database.
  if (acceptor_thread_.joinable()) acceptor_thread_.join();
  listener_.reset();
  if (pool_) pool_->join();
}

void Port::take(net::FileDescriptor socket) {
  try {
    for (;;) {
      Reactor* const reactor = least_busy();
      if (reactor == nullptr || !admits_(socket.get())) break;
      if (reactor->adopt(socket)) return accepted_.add(1);
      std::erase(taking_, reactor);
    }
  } catch (const std::bad_alloc&) {
  }
  refuse(socket);
}

// Null: the port has as many connections as it may have, or no reactor is left.
Reactor* Port::least_busy() {
  Reactor* least = nullptr;
  uint64_t all = 0;
  uint32_t fewest = UINT32_MAX;
  for (Reactor* reactor : taking_) {
    const uint32_t connections = reactor->connections();
    all += connections;
    if (connections >= fewest) continue;
    fewest = connections;
    least = reactor;
  }
  return all < max_connections_ ? least : nullptr;
}

void Port::refuse(const net::FileDescriptor& socket) {
  refused_.add(1);
  if (taking_.empty()) return;
  ::send(socket.get(), refusal_.data(), refusal_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

uint64_t Port::connections() const {
  uint64_t sum = 0;
  for (const std::unique_ptr<Reactor>& reactor : reactors_) sum += reactor->connections();
  return sum;
}

void Port::add_to(Statistics& sum) const {
  sum.connections_accepted += accepted_.get();
  sum.connections_refused += refused_.get();
  for (const std::unique_ptr<Reactor>& reactor : reactors_) reactor->add_to(sum);
  if (pool_) pool_->add_to(sum);
}

}  // namespace hs::server
