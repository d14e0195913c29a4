// A share of a port's connections: their loop, and the queue of those that have something to do.
//
//   wait for requests -> one batch of them -> commit -> send the replies
//     -> let others at the tables
//
// It has no thread of its own: one executor leads it. When the leader must wait inside the engine,
// for a page, a row or the log, another executor takes the lead, and the other connections go on.
// The one that waited finishes its batch and gives the connections of that batch back.
//
// A request that must wait for a lock while as many threads wait as may is parked: its connection
// stands aside, in no thread, and the request is tried again when a wait has ended or a moment has
// passed.
//
// A short wait for a lock or the log is better sat out: whoever takes the lead has a batch and a
// commit of his own. So the lead is offered at once only for pages, else after kPatience.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "net/event_loop.h"
#include "server/leader.h"
#include "server/peer.h"
#include "server/statistics.h"

namespace hs::server {

class Reactor {
 public:
  struct Options {
    size_t read_size = kReadSize;
    uint32_t high_water = Limits{}.max_buffered;
    uint32_t idle_timeout_s = 300;
    uint32_t spin_us = 0;
    // Whether a batch that has changed something also takes what comes while it runs, so that fewer
    // commits do for more requests.
    bool gathers = false;
  };

  // How long the leader may wait for a lock or the log before another one takes the lead: more, as
  // long as its waits turn out to be short.
  static constexpr std::chrono::milliseconds kPatience{1};
  static constexpr std::chrono::milliseconds kMostPatience{4};
  // Requests rarely come further apart than this while a client is at work. Whoever waits for our
  // tables waits that long at most, and only when we cannot see him (see Session::after_batch).
  static constexpr int kHoldTablesMs = 10;

  // Null when the process is out of descriptors.
  static std::unique_ptr<Reactor> create(const Options& options);
  ~Reactor() { shut(); }

  // Takes the lead if nobody has it or the leader waits; the connections of his batch then are his
  // until he gives them back, but for those whose replies are final.
  bool take_lead(Leader& successor);
  // What the leader does, until it has lost the lead, is told to stop, or the port stops.
  void lead(Leader& leader);

  // Of the leader's thread, while its batch runs: others go on with what is not of that batch.
  void step_aside(Leader& leader);

  // Of the leader's thread: it begins and ends to wait in the engine. Others are ignored.
  void leader_waits(Leader& leader, engine::SessionEvents::Wait what);
  void leader_goes_on(Leader& leader);

  // One look of the executor that watches whether the leader waits for too long, every kPatience or
  // more.
  // `calm` counts the looks at which nothing happened; 0 at first.
  enum class Watch { kOn, kOver, kTookLead };
  Watch watch(Leader& watcher, int* calm);

  // Disconnects every client but those of a batch that runs, and takes no more; nobody may lead.
  // May be called again.
  void shut();

  // Any thread: a wait for a lock has ended, so those that are parked had better be tried again.
  void try_parked();

  // Any thread.
  void wake() { loop_->wake(); }
  bool is_led() const { return leader_.load(std::memory_order_relaxed) != nullptr; }
  // `peer`: the object for the new connection, a Peer. As EventLoop::adopt().
  bool adopt(std::unique_ptr<net::Connection>& peer, net::FileDescriptor& socket) {
    return loop_->adopt(peer, socket);
  }
  uint32_t connections() const { return loop_->connections(); }
  void add_to(Statistics& sum) const;

 private:
  Reactor() = default;
  bool leads(const Leader& leader) const {
    return leader_.load(std::memory_order_relaxed) == &leader;
  }
  void split_batch(Leader& leader);
  void run_batch(Leader& leader);
  void run_queue(Leader& leader);
  static void report_foreigner(Leader& leader);
  bool gathers(Leader& leader) const;
  bool await_peers(int timeout_ms);
  void give_back(Leader& leader);
  void settle_returned();
  void settle(Peer& peer);
  void park(Peer& peer);
  void queue_parked();

  std::unique_ptr<net::EventLoop> loop_;
  bool gathers_ = false;

  // The leader's:
  Queue queue_;  // peers that have something for the next batch
  std::vector<net::Connection*> ready_;
  Queue parked_;  // peers whose next request must wait for a lock; detached from the loop
  int64_t look_at_parked_ms_ = 0;  // not before that

  std::atomic<bool> has_parked_{false};
  std::atomic<bool> wait_ended_{false};  // since the leader has looked at parked_

  std::mutex mutex_;  // of what follows; changed by others only while the leader waits
  std::atomic<Leader*> leader_{nullptr};
  bool leader_waits_ = false;
  uint64_t waits_ = 0;          // of all leaders so far
  uint64_t waits_watched_ = 0;  // those that the watcher knows of
  bool watched_ = false;
  std::atomic<bool> has_returned_{false};
  Queue returned_;  // peers whose replies are final, for the leader
};

}  // namespace hs::server
