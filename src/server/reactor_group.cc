#include "server/reactor_group.h"

#include <algorithm>
#include <chrono>

namespace hs::server {
namespace {

constexpr uint64_t kOfReactor = 2;  // descriptors: an epoll and an eventfd

}  // namespace

std::string_view thread_prefix(engine::Mode mode) {
  return mode == engine::Mode::kReadOnly ? "hs-rd-" : "hs-wr-";
}

std::string_view threads_variable(engine::Mode mode) {
  return mode == engine::Mode::kReadOnly ? "handlersocket_threads" : "handlersocket_threads_wr";
}

uint64_t ReactorGroup::own_descriptors(const Config& config, engine::Mode mode) {
  return kOfReactor * config.threads(mode);
}

uint64_t ReactorGroup::own_descriptors() const { return kOfReactor * reactors_.size(); }

ReactorGroup::ReactorGroup(engine::Mode mode, const Config& config, engine::Engine& engine,
                           const Shared& shared)
    : mode_(mode),
      settings_(shared.settings),
      connections_(shared.connections),
      specs_(&shared.memory),
      transactions_(std::string(thread_prefix(mode)) + "trans", mode, engine, shared.settings) {
  reactor_options_.now_ns = config.now_ns;
  reactor_options_.settings = &shared.settings;
  reactor_options_.connections = &shared.connections;
  reactor_options_.tls = config.tls;
  reactor_options_.gathers = mode == engine::Mode::kReadWrite;
  reactor_options_.logins = &shared.logins;
}

ReactorGroup::~ReactorGroup() {
  request_stop();
  join();
}

std::unique_ptr<ReactorGroup> ReactorGroup::create(const Config& config, engine::Mode mode,
                                                   engine::Engine& engine, const Log& log,
                                                   const Shared& shared, std::string* error) {
  std::unique_ptr<ReactorGroup> group(new ReactorGroup(mode, config, engine, shared));
  const uint32_t threads = config.threads(mode);
  if (!group->add_reactors(threads, error)) return nullptr;
  {
    const MutexLock lock(group->mutex_);
    for (const std::unique_ptr<Reactor>& reactor : group->reactors_) {
      group->taking_.push_back(reactor.get());
    }
  }
  ThreadPool::Options pool;
  pool.name = thread_prefix(mode);
  pool.context = {.mode = mode,
                  .limits = config.limits,
                  .now_ns = config.now_ns,
                  .version = config.version,
                  .server_version = config.server_version,
                  .has_tls = config.tls != nullptr && config.tls->exists(),
                  .directory = config.directory,
                  .server = &shared.view,
                  .gtid_waits = &group->gtid_waits_};
  pool.settings = &shared.settings;
  pool.max_threads = std::max(config.max_threads, threads);
  pool.slow_log = &shared.slow_log;
  pool.transactions = &group->transactions_;
  pool.spare_time = std::chrono::milliseconds(config.spare_thread_ms);
  for (const EndpointConfig& endpoint : config.endpoints) {
    if (std::find(pool.protocols.begin(), pool.protocols.end(), endpoint.protocol) ==
        pool.protocols.end()) {
      pool.protocols.push_back(endpoint.protocol);
    }
  }
  group->size_ = threads;
  group->max_threads_ = pool.max_threads;
  group->pool_.emplace(std::move(pool), group->reactors_, engine, log);
  return group;
}

// Adds reactors, which nothing is given yet, until there are so many.
bool ReactorGroup::add_reactors(size_t number, std::string* error) {
  std::vector<std::unique_ptr<Reactor>> made;
  while (reactors_.size() + made.size() < number) {
    made.push_back(Reactor::create(reactor_options_));
    if (made.back() != nullptr) continue;
    *error = "too few file descriptors for " + std::to_string(number) + " threads (" +
             std::string(threads_variable(mode_)) + ")";
    return false;
  }
  for (std::unique_ptr<Reactor>& reactor : made) {
    if (pool_) reactor->retire();  // until resize() has threads for it
    reactors_.add(std::move(reactor));
  }
  return true;
}

bool ReactorGroup::resize(uint32_t reactors, uint32_t max_threads, std::string* error) {
  max_threads = std::max(max_threads, reactors);
  std::vector<Reactor*> taking;
  taking.reserve(reactors);
  pool_->reserve(std::max<size_t>(reactors, reactors_.size()), max_threads);
  if (!add_reactors(reactors, error)) return false;
  const size_t before = size_;
  try {
    for (size_t i = 0; i < reactors; ++i) {
      reactors_[i].resume();
      taking.push_back(&reactors_[i]);
    }
    pool_->set_max_threads(std::max(max_threads, max_threads_));
    pool_->lead_all();
  } catch (const std::exception& failed) {
    for (size_t i = before; i < reactors; ++i) reactors_[i].retire();
    pool_->set_max_threads(max_threads_);
    *error = std::string("cannot start a thread: ") + failed.what() + " (" +
             std::string(threads_variable(mode_)) + ")";
    return false;
  }
  {
    const MutexLock lock(mutex_);
    taking_.swap(taking);
  }
  // Behind that, since none may be given a connection.
  for (size_t i = reactors; i < reactors_.size(); ++i) reactors_[i].retire();
  size_ = reactors;
  max_threads_ = max_threads;
  pool_->set_max_threads(max_threads);
  return true;
}

void ReactorGroup::request_stop() {
  if (pool_) pool_->request_stop();
}

void ReactorGroup::join() {
  if (pool_) pool_->join();
  transactions_.stop();
}

bool ReactorGroup::adopt(net::Transport& transport, const TermsPtr& terms) {
  auto made = std::make_unique<Peer>(specs_, terms);
  ConnectionRecord& record = made->record;
  if (terms->authentication.is_required()) {
    made->set_newcomer();
    record.set_state(ConnectionRecord::State::kAuthenticating);
  }
  exec::Client& client = made->client;
  ConnectionInfo info;
  info.host = terms->is_local ? "localhost" : transport.remote_address();
  std::unique_ptr<net::Connection> peer = std::move(made);
  const MutexLock lock(mutex_);
  while (Reactor* const reactor = least_busy()) {
    connections_.add(record, {reactor, terms->place, mode_}, info);
    client.set_id(record.id());
    if (reactor->adopt(peer, transport)) return true;
    connections_.remove(record);
    std::erase(taking_, reactor);
  }
  return false;
}

void ReactorGroup::close_killed(uint64_t id) {
  if (pool_) pool_->interrupt(id);
  for (const std::unique_ptr<Reactor>& reactor : reactors_) reactor->close_killed(id);
}

uint32_t ReactorGroup::max_connections() const { return settings_.get().limits.max_connections; }

bool ReactorGroup::is_full() const { return connections() >= max_connections(); }

void ReactorGroup::wake() const {
  for (const std::unique_ptr<Reactor>& reactor : reactors_) reactor->wake();
}

bool ReactorGroup::takes_connections() const {
  const MutexLock lock(mutex_);
  return !taking_.empty();
}

// Null: there are as many connections as there may be, or no reactor is
// left.
Reactor* ReactorGroup::least_busy() {
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
  return all < max_connections() ? least : nullptr;
}

uint64_t ReactorGroup::connections() const {
  uint64_t sum = 0;
  for (const std::unique_ptr<Reactor>& reactor : reactors_) sum += reactor->connections();
  return sum;
}

void ReactorGroup::add_to(Statistics& sum) const {
  for (const std::unique_ptr<Reactor>& reactor : reactors_) reactor->add_to(sum);
  if (pool_) pool_->add_to(sum);
  transactions_.add_to(sum);
}

void ReactorGroup::add_to(LatencyStatus& sum) const {
  if (pool_) pool_->add_to(sum);
}

void ReactorGroup::add_to(std::vector<IndexStatus>& indexes) const {
  for (engine::IndexSpecPtr& spec : specs_.list()) {
    const exec::SpecUsage& usage = exec::usage_of(*spec);
    IndexStatus status{mode_, nullptr, usage.connections(), usage.requests(), usage.rows()};
    status.spec = std::move(spec);
    indexes.push_back(std::move(status));
  }
}

}  // namespace hs::server
