#include "server/server.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <new>
#include <vector>

#include "base/clock.h"
#include "base/memory.h"
#include "base/mutex.h"
#include "server/admission.h"
#include "server/endpoint.h"
#include "server/reactor_group.h"
#include "server/seldom.h"
#include "server/start_gate.h"

namespace hs::server {
namespace {

constexpr uint32_t kMaxThreads = 3000;
constexpr size_t kMaxReadSize = 16u << 20;
constexpr std::array kModes = {engine::Mode::kReadOnly, engine::Mode::kReadWrite};

bool serves(const Config& config, engine::Mode mode) {
  return std::any_of(config.endpoints.begin(), config.endpoints.end(),
                     [mode](const EndpointConfig& endpoint) { return endpoint.mode == mode; });
}

// The system variable that makes the server listen for this mode.
const char* port_variable(engine::Mode mode) {
  return mode == engine::Mode::kReadOnly ? "handlersocket_port" : "handlersocket_port_wr";
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
  return true;
}

// Also true for two ways to write the same port. Two ports 0 are different.
bool same_place(const EndpointConfig& one, const EndpointConfig& other) {
  if (one.address != other.address) return false;
  std::string ignored;
  uint16_t number = 0;
  uint16_t other_number = 0;
  if (!net::resolve_port(one.port, &number, &ignored) ||
      !net::resolve_port(other.port, &other_number, &ignored)) {
    return one.port == other.port;
  }
  return number == other_number && number != 0;
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

class NetworkServer final : public Server {
 public:
  NetworkServer(const Config& config, engine::Engine& engine, const Log& log)
      : config_(config),
        log_(log),
        engine_(engine),
        settings_(config),
        slow_log_(config.slow_log, log),
        memory_(config.limits.max_memory),
        admission_(engine, own_descriptors(config)),
        logins_(config.logins, engine) {}
  ~NetworkServer() override { stop(); }

  bool start(std::string* error);

  void stop() override {
    const MutexLock lock(changing_);
    stopped_ = true;
    for (const auto& endpoint : endpoints_) endpoint->request_stop();
    for (const auto& group : groups_) group->request_stop();
    // Listening ends first, since the threads of a group may have to wait for the database.
    for (const auto& endpoint : endpoints_) endpoint->join();
    // Before the reactors end, since their peers come back to them.
    logins_.request_stop();
    logins_.join();
    for (const auto& group : groups_) group->join();
  }

  void change(const Settings& settings) override;

  uint16_t port(engine::Mode mode) const override {
    for (const auto& endpoint : endpoints_) {
      if (endpoint->mode() == mode && endpoint->port() != 0) return endpoint->port();
    }
    return 0;
  }

  Statistics statistics() const override {
    Statistics sum;
    for (const auto& endpoint : endpoints_) endpoint->add_to(sum);
    for (const auto& group : groups_) group->add_to(sum);
    logins_.add_to(sum);
    sum.memory = memory_.used();
    sum.slow_requests = slow_log_.slow();
    sum.slow_log_dropped = slow_log_.dropped();
    sum.connections_killed = killed_.load(std::memory_order_relaxed);
    return sum;
  }

  std::vector<ConnectionStatus> connections() const override { return connections_.list(); }

  std::vector<IndexStatus> indexes() const override {
    std::vector<IndexStatus> all;
    for (const auto& group : groups_) group->add_to(all);
    return all;
  }

  std::vector<LatencyStatus> latencies() const override {
    std::vector<LatencyStatus> all;
    for (const auto& group : groups_) {
      all.emplace_back().mode = group->mode();
      group->add_to(all.back());
    }
    return all;
  }

  SlowLog& slow_log() override { return slow_log_; }

  bool kill(uint64_t id) override {
    if (!connections_.mark_killed(id)) return false;
    killed_.fetch_add(1, std::memory_order_relaxed);
    for (const auto& group : groups_) group->close_killed(id);
    return true;
  }

 private:
  bool open(std::string* error);
  bool make_threads(std::string* error);
  ReactorGroup& group_of(engine::Mode mode);
  bool asks_for_accounts() const;
  bool admits(int number);
  void report() const;
  void warn_of_descriptor_limit(uint32_t max_connections) const;

  const Config config_;
  const Log log_;
  engine::Engine& engine_;
  std::atomic<uint64_t> killed_{0};  // connections
  Connections connections_;
  SharedSettings settings_;  // outlives the groups, as do all members before them
  SlowLog slow_log_;
  Memory memory_;
  const Admission admission_;
  Seldom about_admission_;
  Mutex changing_;  // one change() or stop() after the other
  bool stopped_ HS_GUARDED_BY(changing_) = false;
  StartGate gate_;  // outlives all threads
  LoginPool logins_;
  std::vector<std::unique_ptr<ReactorGroup>> groups_;
  std::vector<std::unique_ptr<Endpoint>> endpoints_;
};

ReactorGroup& NetworkServer::group_of(engine::Mode mode) {
  return **std::find_if(groups_.begin(), groups_.end(),
                        [mode](const auto& group) { return group->mode() == mode; });
}

bool NetworkServer::asks_for_accounts() const {
  return std::any_of(
      config_.endpoints.begin(), config_.endpoints.end(),
      [](const EndpointConfig& endpoint) { return endpoint.authentication.account; });
}

bool NetworkServer::admits(int number) {
  uint64_t connections = 0;
  for (const auto& group : groups_) connections += group->connections();
  if (admission_.has_room(number, connections)) return true;
  if (about_admission_.is_due(monotonic_ms())) {
    log_.warning("connections are refused: " + admission_.reason());
  }
  return false;
}

bool NetworkServer::open(std::string* error) {
  const ReactorGroup::Shared shared{settings_, memory_, connections_, slow_log_, logins_};
  for (const engine::Mode mode : kModes) {
    if (!serves(config_, mode)) continue;
    groups_.push_back(ReactorGroup::create(config_, mode, engine_, log_, shared, error));
    if (groups_.back() != nullptr) continue;
    groups_.pop_back();
    return false;
  }
  for (const EndpointConfig& endpoint : config_.endpoints) {
    endpoints_.push_back(Endpoint::open(
        config_, endpoint, group_of(endpoint.mode), log_,
        [this](int number) { return admits(number); }, error));
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
    if (asks_for_accounts()) {
      name = "hs-login-N";
      logins_.make_threads(gate_);
    }
    return true;
  } catch (const std::exception& failed) {
    *error = "cannot start the thread " + name + ": " + failed.what() + " (" +
             std::string(threads_variable(mode)) + ")";
    return false;
  }
}

bool NetworkServer::start(std::string* error) {
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
  if (max_connections > before.limits.max_connections) warn_of_descriptor_limit(max_connections);
}

void NetworkServer::report() const {
  const auto purpose = [](engine::Mode mode) {
    return mode == engine::Mode::kReadOnly ? std::string("reads") : std::string("reads and writes");
  };
  for (const auto& endpoint : endpoints_) {
    log_.info("listening for " + purpose(endpoint->mode()) + " on " + endpoint->place() +
              ", threads: " + std::to_string(config_.threads(endpoint->mode())));
  }
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

}  // namespace

std::unique_ptr<Server> Server::start(const Config& config, engine::Engine& engine, const Log& log,
                                      std::string* error) {
  try {
    if (!check(config, error) || !places_differ(config, error)) return nullptr;
    auto server = std::make_unique<NetworkServer>(config, engine, log);
    if (!server->start(error)) return nullptr;
    return server;
  } catch (const std::bad_alloc&) {
    *error = "out of memory";
    return nullptr;
  }
}

}  // namespace hs::server
