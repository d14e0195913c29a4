#include "server/reactor.h"

#include <algorithm>
#include <new>

#include "exec/auth.h"
#include "exec/login.h"
#include "server/hold_tables.h"

namespace hs::server {
namespace {

using std::chrono::nanoseconds;

// The watcher leaves after this many looks at which the leader did not wait.
constexpr int kCalmLooks = 20;

net::EventLoop::Tuning tuning_by(const Settings& settings) {
  return {.read_size = settings.readsize > 0 ? settings.readsize : kReadSize,
          .high_water = settings.limits.max_buffered,
          .idle_timeout_ms = int64_t{settings.idle_timeout_s} * 1000,
          .login_timeout_ms = int64_t{settings.login_timeout_s} * 1000,
          .spin_ns = int64_t{settings.spin_us} * 1000};
}

}  // namespace

std::unique_ptr<Reactor> Reactor::create(const Options& options) {
  net::EventLoop::Options loop_options;
  static_cast<net::EventLoop::Tuning&>(loop_options) = tuning_by(*SettingsCopy(*options.settings));
  loop_options.tls = options.tls;
  std::unique_ptr<net::EventLoop> loop = net::EventLoop::create(std::move(loop_options));
  if (loop == nullptr) return nullptr;
  return std::unique_ptr<Reactor>(new Reactor(options, std::move(loop)));
}

Reactor::Reactor(const Options& options, std::unique_ptr<net::EventLoop> loop)
    : loop_(std::move(loop)),
      gathers_(options.gathers),
      connections_(options.connections),
      logins_(options.logins),
      now_ns_(options.now_ns),
      display_(options.connections),
      settings_(*options.settings),
      waiting_(*loop_) {
  ready_.reserve(net::EventLoop::kMaxEvents);
}

// --- the lead ---

bool Reactor::take_lead(Leader& successor) {
  const MutexLock lock(mutex_);
  if (Leader* const leader = leader_.load(std::memory_order_relaxed); leader != nullptr) {
    if (!leader_waits_) return false;
    split_batch(*leader);
    successor.counters().handovers.add(1);
  }
  leader_.store(&successor, std::memory_order_relaxed);
  leader_waits_ = false;
  return true;
}

void Reactor::split_batch(Leader& leader) {
  leader.batch().split(returned_, [this](Peer& peer) { loop_->detach(peer); });
  if (!returned_.empty()) has_returned_.store(true, std::memory_order_relaxed);
}

void Reactor::give_back_final(Leader& leader) {
  bool is_led = false;
  {
    const MutexLock lock(mutex_);
    if (leads(leader)) return;
    // Those that stay were detached when the lead changed.
    leader.batch().split(returned_, [](Peer&) {});
    if (returned_.empty()) return;
    is_led = note_returned();
  }
  call_leader(leader, is_led);
}

// Whether there is a leader that can settle them.
bool Reactor::note_returned() {
  has_returned_.store(true, std::memory_order_relaxed);
  return is_led();
}

void Reactor::call_leader(Leader& by, bool is_led) {
  if (is_led) {
    wake();
  } else {
    by.dispatcher().want_leader(*this);
  }
}

void Reactor::step_aside(Leader& leader) {
  give_back_final(leader);
  {
    const MutexLock lock(mutex_);
    if (!leads(leader)) return;
    split_batch(leader);
    leader_.store(nullptr, std::memory_order_relaxed);
    leader_waits_ = false;
  }
  leader.counters().handovers.add(1);
  leader.dispatcher().want_leader(*this);
}

void Reactor::leader_waits(Leader& leader, engine::SessionEvents::Wait what) {
  bool watch = false;
  {
    const MutexLock lock(mutex_);
    if (!leads(leader)) return;
    leader_waits_ = true;
    ++waits_;
    if (what == engine::SessionEvents::Wait::kOther) watch = !std::exchange(watched_, true);
  }
  if (what == engine::SessionEvents::Wait::kRead) leader.dispatcher().want_leader(*this);
  if (watch) leader.dispatcher().want_watcher(*this);
}

void Reactor::leader_goes_on(Leader& leader) {
  const MutexLock lock(mutex_);
  if (leads(leader)) leader_waits_ = false;
}

Reactor::Watch Reactor::watch(Leader& watcher, int* calm) {
  {
    const MutexLock lock(mutex_);
    const bool same = std::exchange(waits_watched_, waits_) == waits_;
    if (!same) {
      *calm = 0;
      return Watch::kOn;
    }
    if (!leader_waits_ && ++*calm < kCalmLooks) return Watch::kOn;
    watched_ = false;
    if (!leader_waits_) return Watch::kOver;
  }
  return take_lead(watcher) ? Watch::kTookLead : Watch::kOver;
}

void Reactor::lead(Leader& leader) {
  engine::Session& session = leader.session();
  while (leads(leader) && !leader.should_stop()) {
    if (settings_.renew()) renew_settings(leader);
    if (retires_.load(std::memory_order_relaxed) && leave(leader)) return;
    settle_returned();
    if (has_killed_.load(std::memory_order_relaxed)) close_killed();
    waiting_.take_due(queue_);
    nanoseconds timeout = waiting_.next_due();
    if (leader.holds_tables) timeout = std::min<nanoseconds>(timeout, kHoldTables);
    if (!queue_.empty() || loop_->strangers_wait()) timeout = nanoseconds::zero();
    const bool happened = await_peers(timeout);
    if (happened || !queue_.empty()) {
      leader.renew_settings();
      run_batch(leader);
      leader.holds_tables = session.after_batch();
    } else if (leader.holds_tables) {
      session.release();
      leader.holds_tables = false;
    }
    if (leads(leader)) serve_strangers();
  }
  const MutexLock lock(mutex_);
  if (leads(leader)) leader_.store(nullptr, std::memory_order_relaxed);
}

void Reactor::retire() {
  retires_.store(true, std::memory_order_relaxed);
  wake();
}

bool Reactor::resume() {
  const MutexLock lock(mutex_);
  retires_.store(false, std::memory_order_relaxed);
  return !is_led();
}

// False: there are connections, or the reactor goes on after all.
bool Reactor::leave(Leader& leader) {
  if (loop_->connections() != 0) return false;
  await_peers(nanoseconds::zero());  // destroys those that were closed
  const MutexLock lock(mutex_);
  if (!retires_.load(std::memory_order_relaxed) || !leads(leader)) return false;
  leader_.store(nullptr, std::memory_order_relaxed);
  return true;
}

void Reactor::renew_settings(Leader& leader) try {
  loop_->tune(tuning_by(*settings_));
} catch (const std::bad_alloc&) {
  leader.complain("out of memory for handlersocket_readsize: what a thread has stays");
}

// False: nothing happened.
bool Reactor::await_peers(nanoseconds timeout) {
  ready_.clear();
  const bool happened = loop_->wait(timeout, ready_);
  queue_ready();
  return happened;
}

// Behind the batch or while it must wait anyway, since clients wait for its replies.
void Reactor::serve_strangers() {
  ready_.clear();
  loop_->serve_strangers(ready_);
  queue_ready();
}

void Reactor::queue_ready() {
  if (ready_.empty()) return;
  const int64_t now_ns = kCounts ? monotonic_ns() : 0;
  for (net::Connection* connection : ready_) {
    auto& peer = static_cast<Peer&>(*connection);
    // Nothing more is read until the peer's turn. Otherwise each wait() would report it again and
    // put it at the end of the queue.
    peer.hold_input(true);
    peer.record.set_arrival(now_ns);
    display_.show_tls(peer);
    pace_.came(peer.answered);
    queue_.push_back(peer);
  }
}

void Reactor::run_queue(Leader& leader) {
  Batch& batch = leader.batch();
  while (leads(leader) && !queue_.empty() && !batch.full()) {
    Peer& peer = queue_.pop_front();
    if (peer.closed()) continue;
    // While the batch takes more requests, the loop must not touch the connections that are in it.
    if (gathers_) loop_->detach(peer);
    batch.run(peer);
  }
}

bool Reactor::gathers(Leader& leader) const {
  const Batch& batch = leader.batch();
  return gathers_ && leads(leader) && !batch.full() && !leader.should_stop() &&
         loop_->connections() > batch.peers().size() &&  // otherwise no connection can send more
         leader.session().has_uncommitted_changes();
}

// Executes what is there, and, once something was changed, what comes until the commit.
void Reactor::gather(Leader& leader) {
  run_queue(leader);
  while (gathers(leader)) {
    settle_returned();
    await_peers(nanoseconds::zero());
    if (queue_.empty() && !await_more(leader)) return;
    leader.session().end_view();
    run_queue(leader);
  }
}

// False: the batch should be committed now.
bool Reactor::await_more(Leader& leader) {
  const int64_t now_ns = now_ns_();
  if (commits_.any()) {
    const int64_t left_ns = commits_.worth_waiting_ns(pace_.commit_ns(), now_ns);
    if (left_ns <= 0) return false;
    serve_strangers();  // there is time for it
    await_peers(queue_.empty() ? nanoseconds{left_ns} : nanoseconds::zero());
    return true;
  }
  if (has_returned_.load(std::memory_order_relaxed)) return true;
  const int64_t patience_ns = pace_.patience_ns(leader.batch().peers().size(), now_ns);
  if (patience_ns == 0) return false;
  await_peers(nanoseconds{patience_ns});
  pace_.waited(!queue_.empty());
  return !queue_.empty();
}

void Reactor::run_batch(Leader& leader) {
  Batch& batch = leader.batch();
  bool commits = false;
  try {
    gather(leader);
    commits = gathers_ && leader.session().has_uncommitted_changes();
    const int64_t begin_ns = commits ? now_ns_() : 0;
    if (commits) commits_.begin(begin_ns);
    const uint64_t retries = leader.counters().retries.get();
    batch.finish();
    // A batch that was executed again took longer than commits usually do.
    if (commits && leader.counters().retries.get() == retries) {
      pace_.committed(now_ns_() - begin_ns);
    }
  } catch (...) {
    batch.abandon();
    leader.complain("a batch failed, its connections were closed");
  }
  if (batch.out_of_memory())
    leader.complain("out of memory (see handlersocket_max_memory), a connection was closed");
  if (batch.lost_outcome())
    leader.complain(
        "the node lost its cluster during a commit: the connections that waited for it were "
        "closed");
  if (batch.met_foreigner()) report_foreigner(leader);
  if (leads(leader)) {
    if (commits) commits_.end();
    if (commits) pace_.begin_answers();
    for (Peer* peer : batch.peers()) {
      if (commits) pace_.answered(peer->answered);
      settle(*peer);
    }
    if (commits) pace_.end_answers(now_ns_());
  } else {
    give_back(leader, commits);
  }
  batch.replies_are_out();
  batch.clear();
}

void Reactor::report_foreigner(Leader& leader) try {
  for (const Peer* peer : leader.batch().peers()) {
    if (peer->ending != Peer::Ending::kForeign) continue;
    return leader.complain_of_foreigner(peer->remote_address());
  }
} catch (const std::bad_alloc&) {
  leader.complain_of_foreigner("an unknown address");
}

void Reactor::give_back(Leader& leader, bool committed) {
  bool is_led = false;
  {
    const MutexLock lock(mutex_);
    for (Peer* peer : leader.batch().peers()) returned_.push_back(*peer);
    is_led = note_returned();
    // Behind it, so that the leader that sees the end of the commit also sees the peers.
    if (committed) commits_.end();
  }
  call_leader(leader, is_led);
}

// Settles the peers that another thread has answered.
void Reactor::settle_returned() {
  if (!has_returned_.load(std::memory_order_relaxed)) return;
  pace_.begin_answers();
  while (Peer* const peer = take_returned()) {
    pace_.answered(peer->answered);
    settle(*peer);
  }
  pace_.end_answers(now_ns_());
}

Peer* Reactor::take_returned() {
  const MutexLock lock(mutex_);
  if (!returned_.empty()) return &returned_.pop_front();
  has_returned_.store(false, std::memory_order_relaxed);
  return nullptr;
}

// Gives the peer back to the loop, sends its replies, and decides what happens to it next.
void Reactor::settle(Peer& peer) {
  if (peer.is_newcomer() && exec::may_proceed(peer.client)) loop_->welcome(peer);
  if (peer.detached()) loop_->attach(peer);
  if (peer.has_shown_proof) {
    peer.has_shown_proof = false;
    loop_->forget_received();
  }
  if (peer.ending == Peer::Ending::kAbandoned || peer.record.is_killed()) {
    return loop_->close(peer);
  }
  peer.record.set_state(peer.is_newcomer()            ? ConnectionRecord::State::kAuthenticating
                        : peer.transaction == nullptr ? ConnectionRecord::State::kIdle
                                                      : ConnectionRecord::State::kInTransaction);
  display_.show_program(peer);
  loop_->send(peer);
  if (peer.closed()) return;
  if (peer.parked) return waiting_.park(peer);
  if (peer.logs_in) return log_in(peer);
  if (peer.awaits_gtid) return waiting_.await_gtid(peer);
  if (peer.is_late()) return loop_->close(peer);
  display_.forget_user(peer);
  peer.tries = 0;
  if (peer.ending != Peer::Ending::kNone) {
    peer.record.set_state(ConnectionRecord::State::kClosing);
    loop_->finish(peer);
  } else if (peer.may_have_more) {
    peer.hold_input(true);
    // Over it, wait() reports the peer when the client has read enough.
    if (!peer.over_high_water()) queue_.push_back(peer);
  } else {
    peer.hold_input(false);
    if (peer.end_of_input()) loop_->finish(peer);
  }
}

// The peer is with the logins until its login is done or asks, and then in the queue.
void Reactor::log_in(Peer& peer) {
  const exec::Login& login = *peer.client.login();
  if (login.state == exec::Login::State::kWanted) {
    if (peer.is_late()) return loop_->close(peer);
    loop_->detach(peer);
    peer.record.set_state(ConnectionRecord::State::kLoggingIn);
    if (logins_->submit(peer, *this)) return;
    loop_->attach(peer);
  }
  if (login.is_over()) display_.show_user(peer);
  peer.hold_input(true);
  queue_.push_back(peer);
}

void Reactor::take_back(Peer& peer) {
  {
    const MutexLock lock(mutex_);
    returned_.push_back(peer);
    has_returned_.store(true, std::memory_order_relaxed);
  }
  wake();
}

void Reactor::try_parked() {
  if (!waiting_.has_parked()) return;
  waiting_.note_wait_has_ended();
  wake();
}

// --- killed connections ---

void Reactor::close_killed(uint64_t id) {
  {
    const MutexLock lock(mutex_);
    killed_.push_back(id);
    has_killed_.store(true, std::memory_order_relaxed);
  }
  wake();
}

void Reactor::close_killed() {
  std::vector<uint64_t> killed;
  {
    const MutexLock lock(mutex_);
    killed.swap(killed_);
    has_killed_.store(false, std::memory_order_relaxed);
  }
  for (const uint64_t id : killed) {
    if (!close_if_killable(id)) close_killed(id);
  }
}

// False: the loop has not taken the connection yet.
bool Reactor::close_if_killable(uint64_t id) {
  const ConnectionRecord* const record = connections_->find(id, *this);
  if (record == nullptr) return true;
  Peer& peer = record->peer();
  auto& place = static_cast<ListHook<QueueTag>&>(peer);
  bool is_here = false;
  {
    const MutexLock lock(mutex_);  // it may be among those that were returned
    is_here = place.linked();
    place.unlink();
  }
  if (is_here && peer.detached()) loop_->attach(peer);
  // The thread that has it gives it back, and settle() closes it.
  if (peer.detached()) return true;
  if (!static_cast<ListHook<net::ActivityTag>&>(peer).linked()) return false;
  loop_->close(peer);
  return true;
}

void Reactor::shut() {
  settle_returned();
  waiting_.give_up();
  while (!queue_.empty()) {
    Peer& peer = queue_.pop_front();
    if (peer.detached()) loop_->attach(peer);
  }
  loop_->shut();
}

void Reactor::add_to(Statistics& sum) const {
  sum.connections_open += loop_->connections();
  sum.connections_accepted += loop_->counters().adopted.get();
  sum.connections_timed_out += loop_->counters().timed_out.get();
  sum.logins_timed_out += loop_->counters().login_timed_out.get();
  sum.bytes_received += loop_->counters().bytes_received.get();
  sum.bytes_sent += loop_->counters().bytes_sent.get();
  sum.tls_accepts += loop_->counters().tls_accepts.get();
  sum.tls_failed += loop_->counters().tls_failed.get();
}

}  // namespace hs::server
