// What the server remembers of one connection: the indexes it has opened, by id, and whether it has
// authenticated.
//
// Client belongs to the connection and, with it, to one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/memory.h"
#include "base/mutex.h"
#include "engine/engine.h"

namespace hs::exec {

// What all connections of one mode share: one object for each distinct IndexSpec that is open. So
// thousands of connections with the same index cost one spec, and each session needs one cursor for
// them all. Keeps no spec alive itself. Any thread.
class SpecPool {
 public:
  // Counts the specs, and what clients keep of them, in `memory`; null: counts nothing. `memory`
  // must outlive the pool, its specs and their clients.
  explicit SpecPool(Memory* memory = nullptr) : memory_(memory) {}

  // The living spec that equals `spec`, or a new one. Forgets dead specs as it grows. May throw
  // MemoryRefused.
  engine::IndexSpecPtr intern(engine::IndexSpec spec);
  size_t size() const;  // including dead specs
  Memory* memory() const { return memory_; }

 private:
  engine::IndexSpecPtr make(engine::IndexSpec spec) const;

  Memory* const memory_;
  mutable Mutex mutex_;
  std::unordered_multimap<size_t, std::weak_ptr<const engine::IndexSpec>> specs_  // by hash
      HS_GUARDED_BY(mutex_);
  size_t sweep_at_ HS_GUARDED_BY(mutex_) = 64;
};

// What an endpoint asks of its clients.
struct Authentication {
  std::string secret;  // a client must prove to know it (Verb::kAuth); empty: none is asked for

  // Whether a client must show anything before it is served.
  bool is_required() const { return !secret.empty(); }
};
inline const Authentication kNoAuthentication;

class Client {
 public:
  // Both must outlive the client.
  explicit Client(SpecPool& pool, const Authentication& authentication = kNoAuthentication)
      : pool_(pool), authentication_(authentication) {}
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();

  SpecPool& pool() { return pool_; }
  const Authentication& authentication() const { return authentication_; }
  size_t open_indexes() const { return indexes_.size(); }

  // The spec that is open under `id`; null when none is.
  const engine::IndexSpecPtr* find(uint32_t id) const {
    // Nearly every client counts its ids from 0 or 1.
    for (const size_t guess : {size_t{id}, size_t{id} - 1}) {
      if (guess < indexes_.size() && indexes_[guess].first == id) return &indexes_[guess].second;
    }
    return search(id);
  }
  // Opens or replaces `id`. Ids may be sparse. May throw MemoryRefused.
  void set(uint32_t id, engine::IndexSpecPtr spec);
  // Names in the column lists of all open indexes.
  size_t open_columns() const { return open_columns_; }

  bool authorized() const { return authorized_; }
  void set_authorized(bool authorized) { authorized_ = authorized; }

 private:
  const engine::IndexSpecPtr* search(uint32_t id) const;

  SpecPool& pool_;
  const Authentication& authentication_;
  bool authorized_ = false;
  size_t open_columns_ = 0;
  std::vector<std::pair<uint32_t, engine::IndexSpecPtr>> indexes_;  // sorted by id
};

}  // namespace hs::exec
