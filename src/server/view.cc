#include "server/view.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/clock.h"
#include "server/peer.h"

namespace hs::server {
namespace {

// What one connection may see of the others.
class Sight {
 public:
  Sight(const engine::Account* account, const ConnectionStatus& asker)
      : has_account_(account != nullptr),
        sees_all_(has_account_ && account->sees_connections()),
        ends_all_(has_account_ && account->ends_connections()),
        user_(asker.info.user),
        endpoint_(asker.endpoint) {}

  bool sees(const ConnectionStatus& one) const { return sees_all_ || is_own(one); }
  bool ends(const ConnectionStatus& one) const { return ends_all_ || is_own(one); }

 private:
  bool is_own(const ConnectionStatus& one) const {
    return one.info.user == user_ && (has_account_ || one.endpoint == endpoint_);
  }

  const bool has_account_, sees_all_, ends_all_;
  const std::string user_, endpoint_;
};

}  // namespace

View::View(Server& server, const Connections& connections, const engine::Engine& engine,
           const SharedSettings& settings)
    : server_(server),
      connections_(connections),
      engine_(engine),
      settings_(settings),
      started_ms_(monotonic_ms()) {}

std::vector<protocol::SeenConnection> View::connections(uint64_t asker) const {
  std::vector<ConnectionStatus> all = connections_.list();
  const ConnectionRecord* const record = connections_.find(asker);
  std::vector<protocol::SeenConnection> seen;
  const auto own = std::ranges::find(all, asker, &ConnectionStatus::id);
  if (record == nullptr || own == all.end()) return seen;
  const Sight sight(record->peer().client.account().get(), *own);
  for (ConnectionStatus& one : all) {
    if (!sight.sees(one)) continue;
    const bool may_be_ended = sight.ends(one);
    seen.push_back({one.id, std::move(one.info.host), std::move(one.endpoint),
                    std::move(one.info.user), std::move(one.info.program), one.age_ms, one.idle_ms,
                    one.requests, one.bytes_received, one.bytes_sent, may_be_ended});
  }
  return seen;
}

protocol::ServerNumbers View::numbers() const {
  const Statistics now = server_.statistics();
  const Limits limits = settings_.get().limits;
  return {.uptime_ms = monotonic_ms() - started_ms_,
          .connections = now.connections_open,
          .max_connections = limits.max_connections,
          .connections_accepted = now.connections_accepted,
          .connections_refused = now.connections_refused,
          .requests = now.requests,
          .errors = now.errors,
          .bytes_received = now.bytes_received,
          .bytes_sent = now.bytes_sent,
          .memory = now.memory,
          .max_memory = limits.max_memory,
          .is_read_only = engine_.is_read_only()};
}

}  // namespace hs::server
