#include "server/executor.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <utility>

#include "base/clock.h"
#include "server/hold_tables.h"

namespace hs::server {
namespace {

constexpr int64_t kComplaintEveryMs = 60'000;

// How long a scan waits for a client to take its rows before they are kept in memory.
constexpr int kStreamPatienceMs = 100;

}  // namespace

engine::SessionEvents Executor::events(Executor* executor) {
  engine::SessionEvents events;
  events.context = executor;
  events.wake = [](void* context) { static_cast<Executor*>(context)->wake(); };
  events.wait_begins = [](void* context, engine::SessionEvents::Wait what) {
    auto* self = static_cast<Executor*>(context);
    Reactor* const reactor = self->reactor_.load(std::memory_order_relaxed);
    if (self->waits_++ == 0 && reactor != nullptr) reactor->leader_waits(*self, what);
  };
  events.wait_ends = [](void* context) {
    auto* self = static_cast<Executor*>(context);
    Reactor* const reactor = self->reactor_.load(std::memory_order_relaxed);
    if (--self->waits_ == 0 && reactor != nullptr) reactor->leader_goes_on(*self);
  };
  events.works = [](void* context, uint32_t rows) {
    auto* self = static_cast<Executor*>(context);
    if (self->batch_) self->batch_->works(rows);
  };
  return events;
}

void Executor::run() {
  try {
    if (environment_.engine.wait_until_ready() && !dispatcher_.stopping()) {
      session_ = environment_.engine.make_session(environment_.context.mode, name_);
      if (session_ != nullptr) {
        session_->enter(events(this));
        Outlet& outlet = *this;
        batch_.emplace(context_, environment_.protocols, *session_, counters_, &outlet,
                       environment_.slow_log, &environment_.transactions);
        serve();
      } else {
        report("cannot serve: the database made no session for it");
      }
    }
  } catch (const std::exception& error) {
    report(error.what());
  } catch (...) {
    report("ends after an unknown failure");
  }
  batch_.reset();
  if (session_ != nullptr) session_->leave();
  session_.reset();
}

void Executor::take_settings() {
  context_.limits = settings_->limits;
  batch_->take_limits();
}

bool Executor::should_stop() const { return dispatcher_.stopping() || session_->should_stop(); }

void Executor::serve() {
  holds_tables = false;
  while (!should_stop()) {
    const Dispatcher::Call call = dispatcher_.wait_for_call(standby_, holds_tables);
    switch (call.what) {
      case Dispatcher::Call::kLead:
        if (call.reactor->take_lead(*this)) lead(*call.reactor);
        break;
      case Dispatcher::Call::kWatch:
        watch(*call.reactor);
        break;
      case Dispatcher::Call::kEnd:
        return;
      case Dispatcher::Call::kNothing:
        release_tables();
        break;
    }
  }
}

void Executor::release_tables() {
  if (std::exchange(holds_tables, false)) session_->release();
}

void Executor::lead(Reactor& reactor) {
  reactor_.exchange(&reactor, std::memory_order_acq_rel);
  prepare_successor();
  reactor.lead(*this);
  reactor_.store(nullptr, std::memory_order_relaxed);
}

void Executor::watch(Reactor& reactor) {
  prepare_successor();
  std::chrono::milliseconds watched{0};
  std::chrono::milliseconds patience = Reactor::kPatience;
  for (int calm = 0; !should_stop();) {
    dispatcher_.pause(standby_, patience);
    watched += patience;
    // As long as without traffic: when commits take long the watcher leads next, with the same
    // tables, and to open one again would cost a commit for itself.
    if (watched >= kHoldTables || session_->is_waited_for()) release_tables();
    switch (reactor.watch(*this, &calm)) {
      case Reactor::Watch::kOn:
        // Under load nearly every wait is short, and a look costs some 30 µs.
        if (calm == 0) patience = std::min(2 * patience, Reactor::kMostPatience);
        break;
      case Reactor::Watch::kOver:
        return;
      case Reactor::Watch::kTookLead:
        return lead(reactor);
    }
  }
}

// The reactor waits for this thread to lead it, so nothing may throw here.
void Executor::prepare_successor() noexcept {
  try {
    dispatcher_.grow();
  } catch (const std::exception& error) {
    complain("cannot start another thread: ", error.what());
  }
}

void Executor::step_aside(Peer* peer) {
  if (peer != nullptr) {
    set_interruptible(peer->record.id());
    // interrupt() came before.
    if (peer->record.is_killed()) interrupt(peer->record.id());
  }
  reactor_.load(std::memory_order_relaxed)->step_aside(*this);
}

bool Executor::begin_wait(Peer& peer) {
  if (!dispatcher_.begin_wait()) return false;
  peer.record.set_state(ConnectionRecord::State::kWaiting);
  set_interruptible(peer.record.id());
  reactor_.load(std::memory_order_relaxed)->give_back_final(*this);
  return true;
}

void Executor::end_wait() {
  set_interruptible(0);
  dispatcher_.end_wait();
}

void Executor::set_interruptible(uint64_t id) {
  const MutexLock lock(interrupt_mutex_);
  if (id == interruptible_) return;
  interruptible_ = id;
  // No request of another connection fails for it.
  engine::Session* const interrupted = std::exchange(interrupted_, nullptr);
  if (interrupted != nullptr) interrupted->forget_interrupt();
}

void Executor::work_with(engine::Session* session) {
  if (session == nullptr) set_interruptible(0);  // its last request has ended
  const MutexLock lock(interrupt_mutex_);
  entered_ = session;
}

void Executor::make_way() { reactor_.load(std::memory_order_relaxed)->make_way(*this); }

void Executor::interrupt(uint64_t id) {
  const MutexLock lock(interrupt_mutex_);
  if (interruptible_ != id) return;
  interrupted_ = entered_ != nullptr ? entered_ : session_.get();
  interrupted_->interrupt();
}

bool Executor::send(Peer& peer) {
  if (should_stop() || peer.record.is_killed()) return false;
  step_aside(&peer);
  // No session may wait for a table because a client is slow.
  const bool waits = !peer.is_slow && !batch_->session_at_work().is_waited_for();
  const size_t before = peer.output().size();
  const bool alive = net::EventLoop::push(peer, waits ? kStreamPatienceMs : 0);
  counters_.bytes_streamed.add(before - peer.output().size());
  peer.is_slow = !peer.output().empty();
  return alive;
}

void Executor::wake() {
  dispatcher_.call(standby_);
  // fetch_add(0) is ordered before or after the exchange in lead(). Either this thread sees which
  // reactor the executor leads, or the executor sees that it must stop before it waits.
  if (Reactor* const reactor = reactor_.fetch_add(0, std::memory_order_acq_rel)) reactor->wake();
}

void Executor::complain(std::string_view what, std::string_view detail) noexcept {
  const int64_t now_ms = monotonic_ms();
  if (last_complaint_ms_ != 0 && now_ms - last_complaint_ms_ < kComplaintEveryMs) return;
  last_complaint_ms_ = now_ms;
  report(what, detail);
}

void Executor::complain_of_foreigner(std::string_view address) noexcept {
  if (!environment_.about_foreigners.is_due(monotonic_ms())) return;
  char line[256];
  const int size = std::snprintf(line, sizeof line,
                                 "a connection from %.*s was closed: it speaks HTTP. This may "
                                 "be an attack by a web page",
                                 static_cast<int>(address.size()), address.data());
  environment_.log.warning({line, std::min(static_cast<size_t>(size), sizeof line - 1)});
}

void Executor::report(std::string_view what, std::string_view detail) const noexcept {
  char line[512];
  const int size =
      std::snprintf(line, sizeof line, "%s: %.*s%.*s", name_.c_str(), static_cast<int>(what.size()),
                    what.data(), static_cast<int>(detail.size()), detail.data());
  environment_.log.error({line, std::min(static_cast<size_t>(size), sizeof line - 1)});
}

void Executor::add_to(Statistics& sum) const {
  sum.requests += counters_.requests.get();
  const auto of = [this](engine::Access access) {
    return counters_.changes[static_cast<size_t>(access)].get();
  };
  const auto errors = [this](ErrorKind kind) {
    return counters_.errors_by_kind[static_cast<size_t>(kind)].get();
  };
  sum.finds += counters_.finds.get();
  for (const auto access : {engine::Access::kInsert, engine::Access::kInsertIgnore,
                            engine::Access::kUpsert, engine::Access::kReplace}) {
    sum.inserts += of(access);
  }
  sum.updates += of(engine::Access::kUpdate);
  sum.deletes += of(engine::Access::kDelete);
  sum.rows_found += counters_.rows_found.get();
  sum.rows_changed += counters_.rows_changed.get();
  sum.errors += counters_.errors.get();
  sum.errors_server += errors(ErrorKind::kServer);
  sum.errors_request += errors(ErrorKind::kRequest);
  sum.errors_authentication += errors(ErrorKind::kAuthentication);
  sum.batches += counters_.batches.get();
  sum.commits += counters_.commits.get();
  sum.retries += counters_.retries.get();
  sum.lock_waits += counters_.lock_waits.get();
  sum.parked += counters_.parked.get();
  sum.handovers += counters_.handovers.get();
  sum.bytes_sent += counters_.bytes_streamed.get();
  sum.connections_foreign += counters_.foreigners.get();
}

void Executor::add_to(LatencyStatus& sum) const {
  for (size_t kind = 0; kind < kRequestKinds; ++kind) sum.kinds[kind].add(counters_.latency[kind]);
}

}  // namespace hs::server
