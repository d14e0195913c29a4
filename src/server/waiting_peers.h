// The peers of a reactor whose next request must wait, in no thread: for a lock, or for transactions
// of another server. Each is tried again when that is due.
//
// For the thread that leads the reactor, except has_parked() and note_wait_has_ended().
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "net/event_loop.h"
#include "server/peer.h"

namespace hs::server {

class WaitingPeers {
 public:
  // `loop`: of the reactor; must outlive this.
  explicit WaitingPeers(net::EventLoop& loop) : loop_(loop) {}

  // For a lock. The peer is detached from the loop.
  void park(Peer& peer);
  // As the client's gtid_wait() says. A client that has gone gives its place back: the loop closes its
  // connection.
  void await_gtid(Peer& peer);

  // Moves those that are due to `queue`, and after the end of a wait some more of the parked ones.
  void take_due(Queue& queue);
  // After how long take_due() has something to do, as far as that is known; EventLoop::kForever: never.
  std::chrono::nanoseconds next_due() const;
  // Gives all back to the loop.
  void give_up();

  // Any thread.
  bool has_parked() const { return has_parked_.load(std::memory_order_relaxed); }
  // Any thread: a wait for a lock has ended, so some parked requests should be tried again.
  void note_wait_has_ended() { wait_ended_.store(true, std::memory_order_relaxed); }

 private:
  void take_parked(Queue& queue);
  void take_awaiting(Queue& queue);

  net::EventLoop& loop_;
  Queue parked_;
  int64_t look_at_parked_ms_ = 0;  // when it is next due
  Queue awaiting_;                 // a GTID
  int64_t look_at_awaiting_ms_ = 0;
  std::atomic<bool> has_parked_{false};
  std::atomic<bool> wait_ended_{false};  // since the leader last looked at parked_
};

}  // namespace hs::server
