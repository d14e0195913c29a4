#include "server/server.h"

#include <algorithm>
#include <new>

#include "base/clock.h"
#include "server/network_server.h"

namespace hs::server {
namespace {

constexpr uint32_t kMaxThreads = 3000;
constexpr size_t kMaxReadSize = 16u << 20;

// The system variable that makes the server listen for this mode.
const char* port_variable(engine::Mode mode) {
  return mode == engine::Mode::kReadOnly ? "handlersocket_port" : "handlersocket_port_wr";
}

bool places_differ(const Config& config, std::string* error) {
  for (auto one = config.endpoints.begin(); one != config.endpoints.end(); ++one) {
    for (auto other = std::next(one); other != config.endpoints.end(); ++other) {
      if (!same_place(*one, *other)) continue;
      *error = std::string(one->port_variable) + " and " + std::string(other->port_variable) +
               " are the same: " + one->port;
      return false;
    }
  }
  return true;
}

}  // namespace

bool serves(const Config& config, engine::Mode mode) {
  return std::any_of(config.endpoints.begin(), config.endpoints.end(),
                     [mode](const EndpointConfig& endpoint) { return endpoint.mode == mode; });
}

bool asks_for_accounts(const Config& config) {
  return std::any_of(
      config.endpoints.begin(), config.endpoints.end(),
      [](const EndpointConfig& endpoint) { return endpoint.authentication.account; });
}

std::string purpose(engine::Mode mode) {
  return mode == engine::Mode::kReadOnly ? "reads" : "reads and writes";
}

uint64_t own_descriptors(const Config& config) {
  uint64_t sum = Endpoint::kOwnDescriptors * config.endpoints.size();
  for (const engine::Mode mode : kModes) {
    if (serves(config, mode)) sum += ReactorGroup::own_descriptors(config, mode);
  }
  return sum;
}

bool check(const Config& config, std::string* error) {
  for (const engine::Mode mode : kModes) {
    const uint32_t threads = config.threads(mode);
    if (!serves(config, mode) || (threads >= 1 && threads <= kMaxThreads)) continue;
    *error = std::string(threads_variable(mode)) + " is " + std::to_string(threads) +
             ", not in the range 1 to " + std::to_string(kMaxThreads);
    return false;
  }
  if (config.readsize > kMaxReadSize) {
    *error = "handlersocket_readsize is " + std::to_string(config.readsize) +
             ", not in the range 0 to " + std::to_string(kMaxReadSize);
    return false;
  }
  return places_differ(config, error);
}

// Null: there is none.
ReactorGroup* NetworkServer::find_group(engine::Mode mode) const {
  const auto found = std::find_if(groups_.begin(), groups_.end(),
                                  [mode](const auto& group) { return group->mode() == mode; });
  return found != groups_.end() ? found->get() : nullptr;
}

// As many as `config` wants, and those of reactors that are too many for it.
void NetworkServer::count_own_descriptors(const Config& config) {
  uint64_t own = own_descriptors(config);
  for (const auto& group : groups_) {
    const uint64_t wanted =
        serves(config, group->mode()) ? ReactorGroup::own_descriptors(config, group->mode()) : 0;
    own += std::max(group->own_descriptors(), wanted) - wanted;
  }
  admission_.set_own(own);
}

std::unique_ptr<Endpoint> NetworkServer::open_endpoint(const Config& config,
                                                       const EndpointConfig& endpoint,
                                                       ReactorGroup& group,
                                                       std::span<Endpoint* const> leaving,
                                                       std::string* error) {
  return Endpoint::open(
      config, endpoint, group, log_, [this](int number) { return admits(number); }, leaving, error);
}

bool NetworkServer::admits(int number) {
  uint64_t connections = 0;
  {
    const MutexLock lock(lists_);
    for (const auto& group : groups_) connections += group->connections();
  }
  if (admission_.has_room(number, connections)) return true;
  if (about_admission_.is_due(monotonic_ms())) {
    log_.warning("connections are refused: " + admission_.reason());
  }
  return false;
}

bool NetworkServer::open(std::string* error) {
  for (const engine::Mode mode : kModes) {
    if (!serves(config_, mode)) continue;
    groups_.push_back(ReactorGroup::create(config_, mode, engine_, log_, shared(), error));
    if (groups_.back() != nullptr) continue;
    groups_.pop_back();
    return false;
  }
  for (const EndpointConfig& endpoint : config_.endpoints) {
    endpoints_.push_back(open_endpoint(config_, endpoint, *find_group(endpoint.mode), {}, error));
    if (endpoints_.back() != nullptr) continue;
    endpoints_.pop_back();
    return false;
  }
  return true;
}

bool NetworkServer::make_threads(std::string* error) {
  std::string name;
  engine::Mode mode = kModes.front();
  try {
    name = "of the slow log";
    slow_log_.start();
    for (const auto& group : groups_) {
      mode = group->mode();
      name = std::string(thread_prefix(mode)) + "N";
      group->make_threads(gate_);
    }
    for (const auto& endpoint : endpoints_) {
      mode = endpoint->mode();
      name = std::string(thread_prefix(mode)) + "accept";
      endpoint->make_thread(gate_);
    }
    return make_login_threads(config_, error);
  } catch (const std::exception& failed) {
    *error = "cannot start the thread " + name + ": " + failed.what() + " (" +
             std::string(threads_variable(mode)) + ")";
    return false;
  }
}

bool NetworkServer::make_login_threads(const Config& config, std::string* error) {
  if (has_login_threads_ || !asks_for_accounts(config)) return true;
  try {
    logins_.make_threads(gate_);
    return has_login_threads_ = true;
  } catch (const std::exception& failed) {
    *error = std::string("cannot start the thread hs-login-N: ") + failed.what();
    return false;
  }
}

bool NetworkServer::start(std::string* error) {
  const MutexLock lock(changing_);
  if (!open(error)) return false;
  const bool made = make_threads(error);
  gate_.open(made);
  if (!made) return false;
  report();
  warn_of_descriptor_limit(config_.limits.max_connections);
  return true;
}

void NetworkServer::change(const Settings& settings) {
  const MutexLock lock(changing_);
  if (stopped_) return;
  const Settings before = settings_.get();
  settings_.change(settings);
  memory_.set_limit(settings.limits.max_memory);
  if (settings.sndbuf != before.sndbuf || settings.rcvbuf != before.rcvbuf) {
    for (const auto& endpoint : endpoints_) endpoint->set_buffers(settings.sndbuf, settings.rcvbuf);
  }
  for (const auto& group : groups_) group->wake();
  const uint32_t max_connections = settings.limits.max_connections;
  if (max_connections <= before.limits.max_connections) return;
  try {
    warn_of_descriptor_limit(max_connections);
  } catch (const std::bad_alloc&) {  // there is no memory for the warning
  }
}

bool NetworkServer::resize(uint32_t read_threads, uint32_t write_threads, uint32_t max_threads,
                           std::string* error) try {
  const MutexLock lock(changing_);
  if (stopped_) {
    *error = "the server is stopping";
    return false;
  }
  Config next = config_;
  next.read_threads = read_threads;
  next.write_threads = write_threads;
  next.max_threads = max_threads;
  if (!check(next, error)) return false;
  for (size_t i = 0; i < groups_.size(); ++i) {
    if (groups_[i]->resize(next.threads(groups_[i]->mode()), max_threads, error)) continue;
    std::string ignored;
    for (size_t done = 0; done < i; ++done) {
      ReactorGroup& group = *groups_[done];
      (void)group.resize(config_.threads(group.mode()), config_.max_threads, &ignored);
    }
    count_own_descriptors(config_);
    return false;
  }
  config_ = std::move(next);
  count_own_descriptors(config_);
  return true;
} catch (const std::bad_alloc&) {
  *error = "out of memory";
  return false;
}

void NetworkServer::report(const Endpoint& endpoint) const {
  log_.info("listening for " + purpose(endpoint.mode()) + " on " + endpoint.place() +
            ", threads: " + std::to_string(config_.threads(endpoint.mode())));
}

void NetworkServer::report() const {
  for (const auto& endpoint : endpoints_) report(*endpoint);
  for (const engine::Mode mode : kModes) {
    if (serves(config_, mode)) continue;
    log_.info("not listening for " + purpose(mode) + ": " + port_variable(mode) + " is empty");
  }
}

void NetworkServer::warn_of_descriptor_limit(uint32_t max_connections) const {
  const uint64_t wanted = uint64_t{max_connections} * groups_.size();
  const uint64_t most = admission_.most_connections();
  if (most >= wanted) return;
  log_.warning("all ports together take " + std::to_string(most) + " connections instead of " +
               std::to_string(wanted) + " (handlersocket_max_connections): " + admission_.reason());
}

std::unique_ptr<Server> Server::start(const Config& config, engine::Engine& engine, const Log& log,
                                      std::string* error) {
  try {
    if (!check(config, error)) return nullptr;
    auto server = std::make_unique<NetworkServer>(config, engine, log);
    if (!server->start(error)) return nullptr;
    return server;
  } catch (const std::bad_alloc&) {
    *error = "out of memory";
    return nullptr;
  }
}

}  // namespace hs::server
