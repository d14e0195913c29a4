// A read-write and a read-only reactor without threads and sockets, over tables in memory. Each has
// a session, a batch and two connections.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "script.h"
#include "server/batch.h"
#include "server/settings.h"
#include "server/transactions.h"
#include "tables.h"
#include "testing/faulty_engine.h"
#include "watched_session.h"

namespace hs::fuzz {

// A request line with its end. Kept in the order of execution.
struct Executed {
  size_t peer = 0;
  std::string line;
};

class World {
 public:
  World(const Options& options, std::string_view requests);  // see create_tables()

  // Bytes arrive. Bytes for a connection that has ended are dropped, as by the network.
  void receive(size_t peer, std::string_view bytes);
  // Each reactor runs batches until no complete line is left.
  void run();

  const std::vector<Executed>& executed() const { return executed_; }
  // All replies of a connection, without the last one that ended it.
  const std::string& replies(size_t peer) const { return replies_[peer]; }
  bool ended(size_t peer) const { return peers_[peer]->ending != server::Peer::Ending::kNone; }
  Snapshot tables() const { return snapshot(fake_); }
  size_t max_request_size() const { return reactors_[0]->context.limits.max_request_size; }

  // Checks what must hold between two batches.
  void check() const;
  // All connections go away, and leave no change that was not committed. Nothing may follow.
  void close();

 private:
  struct Reactor {
    Reactor(World& world, engine::Mode mode, const Options& options);

    exec::Context context;
    exec::Authentication authentication;
    WatchedSession session;
    server::Counters counters;
    exec::SpecPool pool;
    server::Transactions transactions;
    server::Batch batch;
  };

  bool run_batch(size_t reactor);
  void take_replies(size_t peer, size_t requests);

  testing::FakeEngine fake_;
  testing::FaultyEngine faulty_;
  Watched watched_{fake_, {}};
  WatchedEngine engine_;
  const server::SharedSettings settings_;
  std::vector<std::unique_ptr<Reactor>> reactors_;
  std::vector<std::unique_ptr<server::Peer>> peers_;
  std::vector<Executed> executed_;
  std::string replies_[kPeers];
};

}  // namespace hs::fuzz
