// Server, as it is made.
//
// server.cc: its life, and what it knows of itself. relisten.cc: how it listens elsewhere.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/memory.h"
#include "base/mutex.h"
#include "server/admission.h"
#include "server/endpoint.h"
#include "server/reactor_group.h"
#include "server/seldom.h"
#include "server/server.h"
#include "server/start_gate.h"
#include "server/view.h"

namespace hs::server {

inline constexpr std::array kModes = {engine::Mode::kReadOnly, engine::Mode::kReadWrite};

// Whether the configuration has an endpoint of this mode.
bool serves(const Config& config, engine::Mode mode);
// Whether one of its endpoints asks for accounts.
bool asks_for_accounts(const Config& config);
// How many descriptors the server has besides its connections.
uint64_t own_descriptors(const Config& config);
// Whether it can be served. False: *error is one sentence.
bool check(const Config& config, std::string* error);
// "reads", "reads and writes"
std::string purpose(engine::Mode mode);

class NetworkServer final : public Server {
 public:
  NetworkServer(const Config& config, engine::Engine& engine, const Log& log)
      : config_(config),
        log_(log),
        engine_(engine),
        settings_(config),
        slow_log_(config.slow_log, log),
        memory_(config.limits.max_memory),
        view_(*this, connections_, engine, settings_),
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
  bool resize(uint32_t read_threads, uint32_t write_threads, uint32_t max_threads,
              std::string* error) override;
  bool relisten(const std::vector<EndpointConfig>& endpoints, uint32_t backlog,
                std::string* error) override;

  uint16_t port(engine::Mode mode, const protocol::Protocol& spoken) const override {
    const MutexLock lock(lists_);
    for (const auto& endpoint : endpoints_) {
      const bool is_meant = endpoint->mode() == mode && &endpoint->protocol() == &spoken;
      if (is_meant && endpoint->port() != 0) return endpoint->port();
    }
    return 0;
  }

  Statistics statistics() const override {
    Statistics sum;
    {
      const MutexLock lock(lists_);
      sum = gone_;
      for (const auto& endpoint : endpoints_) endpoint->add_to(sum);
      for (const auto& group : groups_) group->add_to(sum);
    }
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
    const MutexLock lock(lists_);
    for (const auto& group : groups_) group->add_to(all);
    return all;
  }

  std::vector<LatencyStatus> latencies() const override {
    std::vector<LatencyStatus> all;
    const MutexLock lock(lists_);
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
    const MutexLock lock(lists_);
    for (const auto& group : groups_) group->close_killed(id);
    return true;
  }

 private:
  bool open(std::string* error);
  bool make_threads(std::string* error) HS_REQUIRES(changing_);
  bool make_login_threads(const Config& config, std::string* error) HS_REQUIRES(changing_);
  ReactorGroup* find_group(engine::Mode mode) const;
  void count_own_descriptors(const Config& config);
  ReactorGroup::Shared shared() {
    return {settings_, memory_, connections_, slow_log_, logins_, view_};
  }
  std::unique_ptr<Endpoint> open_endpoint(const Config& config, const EndpointConfig& endpoint,
                                          ReactorGroup& group, std::span<Endpoint* const> leaving,
                                          std::string* error);
  struct Change;
  bool prepare(Change& change, std::string* error) HS_REQUIRES(changing_);
  bool find_kept(Change& change, std::string* error) const;
  bool add_groups(Change& change, std::string* error);
  bool add_endpoints(Change& change, std::string* error);
  bool change_rights(Change& change, std::string* error);
  bool make_threads(Change& change, std::string* error) HS_REQUIRES(changing_);
  void put_in_place(Change& change);
  void report(const Endpoint& endpoint) const;
  bool admits(int number);
  void report() const;
  void warn_of_descriptor_limit(uint32_t max_connections) const;

  Config config_;  // changed with changing_; its Settings are those at the start
  const Log log_;
  engine::Engine& engine_;
  std::atomic<uint64_t> killed_{0};  // connections
  Connections connections_;
  SharedSettings settings_;  // outlives the groups, as do all members before them
  SlowLog slow_log_;
  Memory memory_;
  View view_;
  Admission admission_;
  Seldom about_admission_;
  Mutex changing_;  // one change or stop() after the other
  bool has_login_threads_ HS_GUARDED_BY(changing_) = false;
  bool stopped_ HS_GUARDED_BY(changing_) = false;
  StartGate gate_;  // outlives all threads
  LoginPool logins_;
  // These are changed with both mutexes held, so either is enough to read them. lists_ is held for
  // moments only.
  mutable Mutex lists_;
  std::vector<std::unique_ptr<ReactorGroup>> groups_;  // never fewer
  std::vector<std::unique_ptr<Endpoint>> endpoints_;
  Statistics gone_;  // of endpoints that are no more
};

}  // namespace hs::server
