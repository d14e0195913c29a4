#include "server/endpoint.h"

#include <algorithm>
#include <new>
#include <string_view>

#include "server/thread.h"

namespace hs::server {
namespace {

constexpr std::string_view kHowToProtect =
    " and asks its clients for no secret: set handlersocket_plain_secret_file, or "
    "handlersocket_allow_unauthenticated = 1 to serve every client";

// The answer to a client that is refused, in the protocol's own form.
std::string refusal_of(const protocol::Protocol& protocol) {
  Buffer output;
  const auto conversation = protocol.begin();
  const auto codec = protocol.make_codec(0, nullptr);
  codec->last_words_to(*conversation, output).error(Error{ErrorCode::kTooManyConnections, 0, {}});
  return std::string(output.view());
}

std::string in_parentheses(std::string_view variable) { return " (" + std::string(variable) + ")"; }

std::string place_name(const EndpointConfig& endpoint, uint16_t port) {
  if (endpoint.address == kUnixSocket) return endpoint.port;
  const bool is_ipv6 = endpoint.address.find(':') != std::string::npos;
  const std::string address = endpoint.address.empty() ? "*" : endpoint.address;
  return (is_ipv6 ? "[" + address + "]" : address) + ":" + std::to_string(port);
}

std::string_view variable_of(net::ListenError::About about, const EndpointConfig& endpoint) {
  switch (about) {
    case net::ListenError::About::kAddress:
    case net::ListenError::About::kReach:
      return endpoint.address_variable;
    case net::ListenError::About::kGroup:
      return "handlersocket_socket_group";
    case net::ListenError::About::kPlace:
      break;
  }
  return endpoint.port_variable;
}

// Whether other machines may reach the endpoint.
bool serves_all(const EndpointConfig& endpoint) {
  return endpoint.authentication.is_required() || endpoint.allow_unauthenticated;
}

bool listen_options(const Config& config, const EndpointConfig& endpoint,
                    net::ListenOptions* options, std::string* error) {
  options->backlog = config.backlog;
  options->sndbuf = config.sndbuf;
  options->rcvbuf = config.rcvbuf;
  if (endpoint.address == kUnixSocket) {
    options->path = endpoint.port;
    options->rights = endpoint.socket_rights;
    return true;
  }
  options->address = endpoint.address;
  options->only_loopback = !serves_all(endpoint);
  return net::resolve_port(endpoint.port, &options->port, error);
}

}  // namespace

Endpoint::Endpoint(const EndpointConfig& config, ReactorGroup& group, Admits admits)
    : config_(config),
      group_(group),
      admits_(std::move(admits)),
      protocol_(*config.protocol),
      refusal_(refusal_of(protocol_)) {}

Endpoint::~Endpoint() {
  request_stop();
  join();
}

TermsPtr Endpoint::make_terms() const {
  auto made = std::make_shared<Terms>();
  made->place = place_name(config_, port_);
  made->is_local = config_.address == kUnixSocket;
  made->protocol = &protocol_;
  made->authentication = config_.authentication;
  return made;
}

TermsPtr Endpoint::terms() const {
  const MutexLock lock(terms_mutex_);
  return terms_;
}

bool Endpoint::is_at(const EndpointConfig& endpoint) const {
  return endpoint.mode == config_.mode && endpoint.protocol == &protocol_ &&
         (same_place(endpoint, config_) ||
          (endpoint.address == config_.address && endpoint.port == config_.port));
}

bool Endpoint::may_become(const EndpointConfig& endpoint, std::string* error) const {
  if (!listener_->can_be_reached() || serves_all(endpoint)) return true;
  *error = listener_->place() + " can be reached from other machines" + std::string(kHowToProtect) +
           in_parentheses(endpoint.address_variable);
  return false;
}

bool Endpoint::set_rights(const EndpointConfig& endpoint, std::string* error) {
  if (endpoint.socket_rights == config_.socket_rights) return true;
  net::ListenError failed;
  if (!listener_->set_rights(endpoint.socket_rights, &failed)) {
    *error = failed.text + in_parentheses(variable_of(failed.about, endpoint));
    return false;
  }
  config_.socket_rights = endpoint.socket_rights;
  return true;
}

void Endpoint::become(const EndpointConfig& endpoint, uint32_t backlog) {
  config_ = endpoint;
  TermsPtr made = make_terms();
  listener_->set_backlog(backlog);
  const MutexLock lock(terms_mutex_);
  terms_.swap(made);
}

std::unique_ptr<Endpoint> Endpoint::open(const Config& config, const EndpointConfig& endpoint,
                                         ReactorGroup& group, const Log& log, Admits admits,
                                         std::span<Endpoint* const> leaving, std::string* error) {
  std::unique_ptr<Endpoint> made(new Endpoint(endpoint, group, std::move(admits)));
  net::ListenOptions options;
  if (!listen_options(config, endpoint, &options, error)) {
    *error += in_parentheses(endpoint.port_variable);
    return nullptr;
  }
  options.takes_over = std::any_of(leaving.begin(), leaving.end(), [&](const Endpoint* one) {
    return one->port() != 0 && one->port() == options.port;
  });
  net::ListenError failed;
  made->listener_ = net::Listener::open(options, &failed);
  if (made->listener_ == nullptr) {
    *error = failed.text;
    if (failed.about == net::ListenError::About::kReach) *error += kHowToProtect;
    *error += in_parentheses(variable_of(failed.about, endpoint));
    return nullptr;
  }
  made->port_ = made->listener_->port();
  {
    const MutexLock lock(made->terms_mutex_);
    made->terms_ = made->make_terms();
  }

  net::Acceptor::Handlers handlers;
  handlers.accepted = [raw = made.get()](net::FileDescriptor socket) {
    raw->take(net::Transport(std::move(socket)));
  };
  handlers.refused = [raw = made.get()](net::FileDescriptor socket) {
    raw->admits_(kLastDescriptor);  // logs the reason
    net::Transport client(std::move(socket));
    raw->refuse(client);
  };
  handlers.warning = log.warning;
  made->acceptor_ = std::make_unique<net::Acceptor>(*made->listener_, std::move(handlers));
  if (*made->acceptor_) return made;
  *error = "too few file descriptors to listen on " + made->listener_->place() +
           in_parentheses(endpoint.port_variable);
  return nullptr;
}

void Endpoint::make_thread(const StartGate& gate) {
  thread_ = start_thread(std::string(thread_prefix(config_.mode)) + "accept", [&gate, this] {
    if (gate.wait()) acceptor_->run();
  });
}

void Endpoint::request_stop() {
  if (acceptor_ != nullptr) acceptor_->stop();
}

void Endpoint::join() {
  if (thread_.joinable()) thread_.join();
  listener_.reset();
}

void Endpoint::take(net::Transport client) {
  try {
    if (!group_.is_full() && admits_(client.descriptor()) && group_.adopt(client, terms())) return;
  } catch (const std::bad_alloc&) {
  }
  refuse(client);
}

// When no thread is left, the server is stopping, and the connection is closed without an answer.
void Endpoint::refuse(net::Transport& client) {
  refused_.add(1);
  if (!group_.takes_connections()) return;
  (void)client.send(refusal_.data(), refusal_.size());
}

void Endpoint::add_to(Statistics& sum) const { sum.connections_refused += refused_.get(); }

}  // namespace hs::server
