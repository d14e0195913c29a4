// What the server remembers of one connection: the indexes it has opened, by id, and whether it has
// authenticated, and as which account.
//
// Client belongs to the connection and, with it, to one thread at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/memory.h"
#include "base/mutex.h"
#include "engine/account.h"
#include "engine/cursor.h"
#include "exec/gtid_wait.h"
#include "exec/known_tables.h"
#include "exec/secret.h"

namespace hs::exec {

// What was done with one open index by all connections of a mode. Any thread.
class SpecUsage {
 public:
  // Threads that count at the same time should use different shares.
  static constexpr size_t kShares = 4;
  void count(size_t share, uint64_t requests, uint64_t rows) {
    Share& mine = shares_[share % kShares];
    mine.requests.fetch_add(requests, std::memory_order_relaxed);
    if (rows != 0) mine.rows.fetch_add(rows, std::memory_order_relaxed);
  }
  void open() { connections_.fetch_add(1, std::memory_order_relaxed); }
  void close() { connections_.fetch_sub(1, std::memory_order_relaxed); }

  uint64_t connections() const { return connections_.load(std::memory_order_relaxed); }
  uint64_t requests() const;
  uint64_t rows() const;

 private:
  struct alignas(64) Share {
    std::atomic<uint64_t> requests{0};
    std::atomic<uint64_t> rows{0};
  };
  std::array<Share, kShares> shares_;
  std::atomic<uint64_t> connections_{0};  // that have it open; under two ids it counts twice
};

// A spec as a pool makes it.
struct PooledSpec final : engine::IndexSpec {
  explicit PooledSpec(engine::IndexSpec&& names) : IndexSpec(std::move(names)) {}
  mutable SpecUsage usage;
};
// `spec` was made by a SpecPool, as every spec of a Client is.
inline SpecUsage& usage_of(const engine::IndexSpec& spec) {
  return static_cast<const PooledSpec&>(spec).usage;
}

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
  // The specs that are alive, each a PooledSpec.
  std::vector<engine::IndexSpecPtr> list() const;
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
  Secret secret;  // a client must prove to know it (Verb::kAuth)
  // A client must log in to an account of the database, and may do what the account may. There is
  // no secret then.
  bool account = false;

  // Whether a client must show anything before it is served.
  bool is_required() const { return account || secret.is_set(); }
};
inline const Authentication kNoAuthentication;

// Counts bytes for what a client keeps; null: counts nothing. May throw MemoryRefused.
void take_memory(Memory* memory, size_t bytes);

struct Login;

class Client {
 public:
  // Both must outlive the client.
  explicit Client(SpecPool& pool, const Authentication& authentication = kNoAuthentication);
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

  // The tables that its keys name.
  KnownTables& tables() { return tables_; }
  const KnownTables& tables() const { return tables_; }

  bool authorized() const { return authorized_; }
  void set_authorized(bool authorized) { authorized_ = authorized; }

  // Of the connection, for the operator and the client; 0: none.
  uint64_t id() const { return id_; }
  void set_id(uint64_t id) { id_ = id; }
  // What the client calls itself; empty: it has not said so.
  const std::string& name() const { return name_; }
  void set_name(std::string name) {
    name_ = std::move(name);
    has_new_name_ = true;
  }
  // Whether the name was set since the last call.
  bool take_new_name() { return std::exchange(has_new_name_, false); }

  // That the client has logged in to; null: none.
  const engine::AccountPtr& account() const { return account_; }
  void set_account(engine::AccountPtr account) { account_ = std::move(account); }
  void log_out() {
    set_authorized(false);
    set_account(nullptr);
  }
  // The login that is under way; null: none (see exec/login.h). A thread that carries it out keeps
  // it, too. The one that was there before is given up.
  Login* login() const { return login_.get(); }
  const std::shared_ptr<Login>& shared_login() const { return login_; }
  void set_login(std::shared_ptr<Login> login);

  // Of the last change of this connection that was committed and is in the binary log; empty: there
  // was none.
  const engine::Gtid& last_gtid() const { return last_gtid_; }
  void set_last_gtid(const engine::Gtid& gtid) { last_gtid_ = gtid; }
  // The wait for transactions that is under way; null: none (see exec/gtid.h).
  GtidWait* gtid_wait() const { return gtid_wait_.get(); }
  std::unique_ptr<GtidWait> take_gtid_wait() { return std::move(gtid_wait_); }
  void set_gtid_wait(std::unique_ptr<GtidWait> wait) { gtid_wait_ = std::move(wait); }

 private:
  const engine::IndexSpecPtr* search(uint32_t id) const;

  SpecPool& pool_;
  const Authentication& authentication_;
  bool authorized_ = false;
  bool has_new_name_ = false;
  uint64_t id_ = 0;
  std::string name_;
  engine::AccountPtr account_;
  std::shared_ptr<Login> login_;
  engine::Gtid last_gtid_;
  std::unique_ptr<GtidWait> gtid_wait_;
  size_t open_columns_ = 0;
  std::vector<std::pair<uint32_t, engine::IndexSpecPtr>> indexes_;  // sorted by id
  KnownTables tables_;
};

}  // namespace hs::exec
