// A share of the connections of one mode: their event loop, and the queue of those that have
// requests.
//
//   wait for requests -> one batch of them -> commit -> send the replies
//     -> give tables back that other sessions wait for
//
// A reactor has no thread of its own: one executor leads it. When the leader must wait inside the
// engine, for a page, a row or the log, another executor takes the lead and serves the other
// connections. The first one finishes its batch and gives the connections of that batch back.
//
// Only a bounded number of threads may wait for locks. A further request that must wait is parked:
// its connection stands aside, in no thread. The request is tried again when a wait has ended, or
// after a while.
//
// It is better to sit out a short wait for a lock or the log, since the next leader has a batch and
// a commit of its own. So the lead is offered at once only for pages, and otherwise after
// kPatience.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "engine/session.h"
#include "net/event_loop.h"
#include "server/commit_pace.h"
#include "server/connections.h"
#include "server/leader.h"
#include "server/login_pool.h"
#include "server/peer.h"
#include "server/peer_display.h"
#include "server/running_commits.h"
#include "server/settings.h"
#include "server/statistics.h"
#include "server/waiting_peers.h"

namespace hs::server {

class Reactor final : public LoginReceiver {
 public:
  struct Options {
    const SharedSettings* settings = nullptr;  // must outlive the reactor
    net::TlsContext* tls = nullptr;            // see EventLoop::Options
    // A batch that has changed something also takes requests that arrive while it runs. So fewer
    // commits serve more requests.
    bool gathers = false;
    Connections* connections = nullptr;  // must outlive the reactor; null: none can be killed
    LoginPool* logins = nullptr;  // null: no endpoint asks for accounts; else outlives the reactor
    int64_t (*now_ns)() = monotonic_ns;  // the clock that commits are measured with
  };

  // How long the leader may wait for a lock or the log before another executor takes the lead. It
  // is up to kMostPatience while the waits turn out to be short.
  static constexpr std::chrono::milliseconds kPatience{1};
  static constexpr std::chrono::milliseconds kMostPatience{4};

  // Null when the process is out of descriptors.
  static std::unique_ptr<Reactor> create(const Options& options);
  // No peer is with the logins any more.
  ~Reactor() override { shut(); }

  // Takes the lead if there is no leader or the leader waits. The connections of the leader's batch
  // stay with it until it gives them back, but those whose replies are final are taken over.
  bool take_lead(Leader& successor);
  // The work of the leader. Returns when the leader has lost the lead or is told to stop.
  void lead(Leader& leader);

  // On the leader's thread while its batch runs: gives the lead away, so that connections that are
  // not in the batch are served.
  void step_aside(Leader& leader);
  // The same if there are other connections.
  void make_way(Leader& leader) {
    if (leads(leader) && loop_->connections() > 1) step_aside(leader);
  }

  // On the thread of an executor that runs a batch of this reactor and is about to wait or to work for
  // long. If it has lost the lead, the peers whose replies have become final since are given back.
  void give_back_final(Leader& leader);

  // On the leader's thread: it begins to wait in the engine, or has waited. Ignored from other
  // threads.
  void leader_waits(Leader& leader, engine::SessionEvents::Wait what);
  void leader_goes_on(Leader& leader);

  // One look of the executor that watches whether the leader waits for too long. To be called every
  // kPatience or less often. `calm` counts the looks at which nothing happened; 0 at first.
  enum class Watch {
    kOn,        // look again
    kOver,      // there is nothing to watch any more
    kTookLead,  // the leader has waited for too long, and `watcher` leads now
  };
  Watch watch(Leader& watcher, int* calm);

  // Any thread. The reactor is to be given no more connections. Its leader leaves it when its last
  // one has gone.
  void retire();
  // Undoes it. True: the reactor needs a leader.
  bool resume();
  // Whether it is led or should be.
  bool needs_leader() const { return is_led() || !retires_.load(std::memory_order_relaxed); }

  // Disconnects every client but those of a running batch, and takes no more. The reactor must have
  // no leader. May be called again.
  void shut();

  // Any thread: a peer that log_in() gave away has its login.
  void take_back(Peer& peer) override;

  // Any thread: a wait for a lock has ended, so parked requests should be tried again.
  void try_parked();

  // Any thread: the connection with this id was marked as killed. If it is one of this reactor and
  // in no thread, it is closed soon. A thread that has it gives it back to be closed.
  void close_killed(uint64_t id);

  // Any thread. Ends the leader's wait for requests.
  void wake() { loop_->wake(); }
  bool is_led() const { return leader_.load(std::memory_order_relaxed) != nullptr; }
  // `peer`: the object for the new connection, a Peer. Otherwise as EventLoop::adopt().
  bool adopt(std::unique_ptr<net::Connection>& peer, net::Transport& transport) {
    return loop_->adopt(peer, transport);
  }
  uint32_t connections() const { return loop_->connections(); }
  void add_to(Statistics& sum) const;

 private:
  Reactor(const Options& options, std::unique_ptr<net::EventLoop> loop);
  bool leads(const Leader& leader) const {
    return leader_.load(std::memory_order_relaxed) == &leader;
  }
  void renew_settings(Leader& leader);
  bool leave(Leader& leader);
  void split_batch(Leader& leader) HS_REQUIRES(mutex_);
  void run_batch(Leader& leader);
  void run_queue(Leader& leader);
  void gather(Leader& leader);
  bool await_more(Leader& leader);
  bool note_returned() HS_REQUIRES(mutex_);
  void call_leader(Leader& by, bool is_led);
  static void report_foreigner(Leader& leader);
  bool gathers(Leader& leader) const;
  bool await_peers(std::chrono::nanoseconds timeout);
  void serve_strangers();
  void queue_ready();
  void give_back(Leader& leader, bool committed);
  void settle_returned();
  Peer* take_returned();
  void settle(Peer& peer);
  void log_in(Peer& peer);
  void close_killed();
  bool close_if_killable(uint64_t id);

  const std::unique_ptr<net::EventLoop> loop_;
  const bool gathers_;
  Connections* const connections_;
  LoginPool* const logins_;
  int64_t (*const now_ns_)();
  RunningCommits commits_;

  // Used by the leader:
  PeerDisplay display_;
  SettingsCopy settings_;
  Queue queue_;  // peers with requests for the next batch
  std::vector<net::Connection*> ready_;
  WaitingPeers waiting_;
  CommitPace pace_;

  std::atomic<bool> retires_{false};

  Mutex mutex_;
  // Changed with mutex_ held: by the leader itself, and by other threads only while it waits.
  std::atomic<Leader*> leader_{nullptr};
  bool leader_waits_ HS_GUARDED_BY(mutex_) = false;
  uint64_t waits_ HS_GUARDED_BY(mutex_) = 0;  // how many waits all leaders had so far
  // How many of them the watcher has seen.
  uint64_t waits_watched_ HS_GUARDED_BY(mutex_) = 0;
  bool watched_ HS_GUARDED_BY(mutex_) = false;
  std::atomic<bool> has_returned_{false};
  std::atomic<bool> has_killed_{false};
  std::vector<uint64_t> killed_ HS_GUARDED_BY(mutex_);  // ids that the leader must look at
  // Peers with final replies, or with a login, which the leader must settle.
  Queue returned_ HS_GUARDED_BY(mutex_);
};

}  // namespace hs::server
