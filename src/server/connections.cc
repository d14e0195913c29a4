#include "server/connections.h"

#include <algorithm>

#include "base/clock.h"
#include "server/peer.h"

namespace hs::server {
namespace {

// How many records are copied while the mutex is held: some 20 µs.
constexpr size_t kAtOnce = 64;

using State = ConnectionRecord::State;

std::string_view name_of(State state) {
  switch (state) {
    case State::kIdle:
      break;
    case State::kAuthenticating:
      return "authenticating";
    case State::kInTransaction:
      return "in transaction";
    case State::kLoggingIn:
      return "logging in";
    case State::kExecuting:
      return "executing";
    case State::kWaiting:
      return "waiting for a lock";
    case State::kParked:
      return "parked for a lock";
    case State::kAwaitingGtid:
      return "awaiting a GTID";
    case State::kClosing:
      return "closing";
  }
  return "idle";
}

}  // namespace

ConnectionRecord::~ConnectionRecord() {
  if (list_ != nullptr) list_->remove(*this);
}

ConnectionInfo ConnectionRecord::info() const {
  return list_ != nullptr ? list_->info_of(*this) : ConnectionInfo();
}

ConnectionInfo Connections::info_of(const ConnectionRecord& record) const {
  const MutexLock lock(mutex_);
  return record.info_;
}

void Connections::add(ConnectionRecord& record, const Home& home, ConnectionInfo info) {
  const int64_t now_ns = monotonic_ns();
  const MutexLock lock(mutex_);
  records_.emplace(last_id_ + 1, &record);
  record.id_ = ++last_id_;
  record.list_ = this;
  record.reactor_ = home.reactor;
  record.endpoint_ = home.endpoint;
  record.mode_ = home.mode;
  record.info_ = std::move(info);
  record.since_ns_ = now_ns;
  record.set_arrival(now_ns);
}

void Connections::remove(ConnectionRecord& record) {
  const MutexLock lock(mutex_);
  records_.erase(record.id_);
  record.list_ = nullptr;
}

std::vector<ConnectionStatus> Connections::list() const {
  std::vector<ConnectionStatus> all;
  const int64_t now_ns = monotonic_ns();
  for (uint64_t last = 0;;) {
    const size_t before = all.size();
    all.reserve(before + kAtOnce);  // not while the mutex is held
    const MutexLock lock(mutex_);
    auto at = records_.upper_bound(last);
    for (; at != records_.end() && all.size() < before + kAtOnce; ++at) {
      all.push_back(status_of(*at->second, now_ns));
      last = at->first;
    }
    if (at == records_.end()) return all;
  }
}

ConnectionStatus Connections::status_of(const ConnectionRecord& record, int64_t now_ns) {
  constexpr int64_t kMsInNs = 1'000'000;
  const net::Traffic& traffic = record.peer_.traffic();
  const State state = record.state_.load(std::memory_order_relaxed);
  const bool is_idle = state == State::kIdle || state == State::kInTransaction;
  const bool sends = is_idle && traffic.unsent.load(std::memory_order_relaxed) != 0;
  ConnectionStatus status;
  status.id = record.id_;
  status.endpoint = record.endpoint_;
  status.mode = record.mode_;
  status.info = record.info_;
  status.state = sends ? "sending" : name_of(state);
  status.open_indexes = record.open_indexes_.load(std::memory_order_relaxed);
  status.requests = record.requests_.get();
  status.errors = record.errors_.get();
  status.bytes_received = traffic.received.get();
  status.bytes_sent = traffic.sent.get();
  status.age_ms = std::max<int64_t>(0, now_ns - record.since_ns_) / kMsInNs;
  status.idle_ms = std::max<int64_t>(0, now_ns - record.arrived_ns()) / kMsInNs;
  return status;
}

bool Connections::mark_killed(uint64_t id) {
  const MutexLock lock(mutex_);
  const auto found = records_.find(id);
  if (found == records_.end()) return false;
  found->second->killed_.store(true, std::memory_order_relaxed);
  return true;
}

const ConnectionRecord* Connections::find(uint64_t id, const Reactor& reactor) const {
  const MutexLock lock(mutex_);
  const auto found = records_.find(id);
  if (found == records_.end() || found->second->reactor_ != &reactor) return nullptr;
  return found->second;
}

const ConnectionRecord* Connections::find(uint64_t id) const {
  const MutexLock lock(mutex_);
  const auto found = records_.find(id);
  return found != records_.end() ? found->second : nullptr;
}

}  // namespace hs::server
