#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "server/network_server.h"

namespace hs::server {

// What becomes of the server, as long as nothing has changed yet. Its end takes back what is not in
// place.
struct NetworkServer::Change {
  Config config;                   // that it shall have
  std::vector<Endpoint*> kept;     // for each endpoint of `config`; null: it is new
  std::vector<Endpoint*> leaving;  // present ones that shall go
  std::vector<std::unique_ptr<ReactorGroup>> groups;  // new ones
  std::vector<std::unique_ptr<Endpoint>> endpoints;   // new ones
  std::vector<EndpointConfig> before;  // of the first of `kept`, whose rights were changed

  void undo_rights() {
    std::string ignored;
    for (size_t i = 0; i < before.size(); ++i) {
      if (kept[i] != nullptr) (void)kept[i]->set_rights(before[i], &ignored);
    }
  }
};

bool NetworkServer::relisten(const std::vector<EndpointConfig>& endpoints, uint32_t backlog,
                             std::string* error) try {
  const MutexLock lock(changing_);
  if (stopped_) {
    *error = "the server is stopping";
    return false;
  }
  Change change;
  change.config = config_;
  static_cast<Settings&>(change.config) = settings_.get();
  change.config.endpoints = endpoints;
  change.config.backlog = backlog;
  if (!prepare(change, error)) return false;
  put_in_place(change);
  return true;
} catch (const std::bad_alloc&) {
  *error = "out of memory";
  return false;
}

bool NetworkServer::prepare(Change& change, std::string* error) {
  if (!check(change.config, error) || !find_kept(change, error)) return false;
  for (Endpoint* const endpoint : change.leaving) endpoint->share_port(true);
  const bool done = add_groups(change, error) && add_endpoints(change, error) &&
                    change_rights(change, error) && make_threads(change, error);
  if (done) return true;
  for (Endpoint* const endpoint : change.leaving) endpoint->share_port(false);
  change.undo_rights();
  return false;
}

// False: one that stays may not serve as it should.
bool NetworkServer::find_kept(Change& change, std::string* error) const {
  for (const auto& endpoint : endpoints_) change.leaving.push_back(endpoint.get());
  for (const EndpointConfig& wanted : change.config.endpoints) {
    const auto found =
        std::find_if(change.leaving.begin(), change.leaving.end(),
                     [&](const Endpoint* endpoint) { return endpoint->is_at(wanted); });
    if (found == change.leaving.end()) {
      change.kept.push_back(nullptr);
      continue;
    }
    if (!(*found)->may_become(wanted, error)) return false;
    change.kept.push_back(*found);
    change.leaving.erase(found);
  }
  return true;
}

bool NetworkServer::add_groups(Change& change, std::string* error) {
  for (const engine::Mode mode : kModes) {
    if (!serves(change.config, mode) || find_group(mode) != nullptr) continue;
    auto made = ReactorGroup::create(change.config, mode, engine_, log_, shared(), error);
    if (made == nullptr) return false;
    change.groups.push_back(std::move(made));
  }
  return true;
}

bool NetworkServer::add_endpoints(Change& change, std::string* error) {
  const auto group_of = [&](engine::Mode mode) {
    for (const auto& group : change.groups) {
      if (group->mode() == mode) return group.get();
    }
    return find_group(mode);
  };
  for (size_t i = 0; i < change.kept.size(); ++i) {
    if (change.kept[i] != nullptr) continue;
    const EndpointConfig& wanted = change.config.endpoints[i];
    auto made = open_endpoint(change.config, wanted, *group_of(wanted.mode), change.leaving, error);
    if (made == nullptr) return false;
    change.endpoints.push_back(std::move(made));
  }
  return true;
}

bool NetworkServer::change_rights(Change& change, std::string* error) {
  for (size_t i = 0; i < change.kept.size(); ++i) {
    change.before.push_back(change.kept[i] != nullptr ? change.kept[i]->config()
                                                      : EndpointConfig());
    if (change.kept[i] != nullptr &&
        !change.kept[i]->set_rights(change.config.endpoints[i], error)) {
      return false;
    }
  }
  return true;
}

bool NetworkServer::make_threads(Change& change, std::string* error) {
  if (!make_login_threads(change.config, error)) return false;
  try {
    for (const auto& group : change.groups) group->make_threads(gate_);
    for (const auto& endpoint : change.endpoints) endpoint->make_thread(gate_);
    const MutexLock lock(lists_);  // so that put_in_place() does not fail
    groups_.reserve(groups_.size() + change.groups.size());
    endpoints_.reserve(endpoints_.size() + change.endpoints.size());
    return true;
  } catch (const std::exception& failed) {
    *error = std::string("cannot start a thread: ") + failed.what();
    return false;
  }
}

void NetworkServer::put_in_place(Change& change) {
  for (size_t i = 0; i < change.kept.size(); ++i) {
    if (change.kept[i] == nullptr) continue;
    change.kept[i]->become(change.config.endpoints[i], change.config.backlog);
  }
  for (const auto& endpoint : change.endpoints) report(*endpoint);
  for (const Endpoint* const endpoint : change.leaving) {
    log_.info("no longer listening for " + purpose(endpoint->mode()) + " on " + endpoint->place());
  }
  count_own_descriptors(change.config);
  config_ = std::move(change.config);

  // From here on there is nothing that may throw.
  for (Endpoint* const endpoint : change.leaving) endpoint->request_stop();
  for (Endpoint* const endpoint : change.leaving) endpoint->join();
  const MutexLock lock(lists_);
  for (auto& group : change.groups) groups_.push_back(std::move(group));
  for (auto& endpoint : change.endpoints) endpoints_.push_back(std::move(endpoint));
  for (const Endpoint* const endpoint : change.leaving) {
    endpoint->add_to(gone_);
    std::erase_if(endpoints_, [&](const auto& one) { return one.get() == endpoint; });
  }
}

}  // namespace hs::server
