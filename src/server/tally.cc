#include "server/tally.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <utility>

#include "base/clock.h"

namespace hs::server {
namespace {

std::atomic<size_t> next_share{0};

uint64_t& rows_of(engine::AccountWork& work, engine::Access access) {
  switch (access) {
    case engine::Access::kUpdate:
      return work.rows_updated;
    case engine::Access::kDelete:
      return work.rows_deleted;
    default:
      return work.rows_inserted;
  }
}

}  // namespace

using exec::Outcome;
using exec::Plan;

Tally::Tally(Counters& counters, SlowLog* slow_log, size_t most_peers)
    : counters_(counters),
      slow_log_(slow_log),
      share_(next_share.fetch_add(1, std::memory_order_relaxed)) {
  answered_.reserve(most_peers);  // a peer has one time of arrival
}

void Tally::begin(Peer& peer) {
  began_ns_ = slow_log_ != nullptr && slow_log_->is_on() ? monotonic_ns() : 0;
  waited_ns_ = 0;
  current_ = &peer;
}

void Tally::end() {
  Answered* answered = nullptr;
  for (size_t kind = 0; kind < kRequestKinds; ++kind) {
    const uint32_t requests = std::exchange(current_done_[kind], 0);
    if (requests == 0) continue;
    if (answered == nullptr) answered = &answered_at(current_->record.arrived_ns());
    answered->requests[kind] += requests;
  }
  tell_account();
  current_ = nullptr;
}

void Tally::worked(const Peer& peer, const Plan& plan, const Outcome& outcome) {
  if (began_ns_ != 0) note_time(peer, plan, outcome);
}

void Tally::waited(int64_t began_ns) {
  if (began_ns_ != 0) waited_ns_ += monotonic_ns() - began_ns;
}

void Tally::done(Peer& peer, const Plan& plan, const Outcome& outcome) {
  ++requests_;
  if (plan.spec != nullptr) note_use(**plan.spec, outcome.rows);
  if constexpr (kCounts) {
    const auto kind = static_cast<size_t>(kind_of(plan));
    if (&peer == current_) {
      ++current_done_[kind];
    } else {
      ++answered_at(peer.record.arrived_ns()).requests[kind];
    }
  }
  if (peer.client.account() != nullptr) note_work(peer, plan, outcome);
  peer.record.count_request(outcome.error.has_value());
  if (outcome.error) count_error(*outcome.error);
  switch (plan.kind) {
    case Plan::Kind::kConnection:
      peer.record.set_open_indexes(peer.client.open_indexes());
      return;
    case Plan::Kind::kRefused:
    case Plan::Kind::kDescribe:
    case Plan::Kind::kLastGtid:
    case Plan::Kind::kAwaitGtid:
    case Plan::Kind::kTransaction:
    case Plan::Kind::kAnswer:
      return;
    case Plan::Kind::kRead:
      counters_.finds.add(1);
      counters_.rows_found.add(outcome.rows);
      return;
    case Plan::Kind::kChange:
      counters_.changes[static_cast<size_t>(plan.access)].add(1);
      counters_.rows_changed.add(outcome.rows);
  }
}

void Tally::last_words(Peer& peer, ErrorCode error) {
  peer.record.count_error();
  count_error(error);
}

void Tally::count_error(ErrorCode error) {
  counters_.errors.add(1);
  counters_.errors_by_kind[static_cast<size_t>(error_kind(error))].add(1);
}

// The counters of an index are shared by all threads, so they are not written for each request.
void Tally::note_use(const engine::IndexSpec& spec, uint64_t rows) {
  if constexpr (!kCounts) return;
  if (use_.spec != &spec) {
    count_use();
    use_.spec = &spec;
  }
  ++use_.requests;
  use_.rows += rows;
}

void Tally::count_use() {
  if (current_ != nullptr) tell_account();  // the client may be about to log in to another one
  if (use_.spec == nullptr) return;
  exec::usage_of(*use_.spec).count(share_, use_.requests, use_.rows);
  use_ = {};
}

// Those of one peer are told together, since each time takes a lock of the database.
void Tally::note_work(Peer& peer, const Plan& plan, const Outcome& outcome) {
  engine::AccountWork one;
  engine::AccountWork& work = &peer == current_ ? work_ : one;
  if (outcome.error == ErrorCode::kAccessDenied) ++work.denied;
  switch (plan.kind) {
    case Plan::Kind::kRead:
      ++work.reads;
      work.rows_read += outcome.rows;
      if (outcome.rows == 0 && !outcome.error) ++work.empty_reads;
      break;
    case Plan::Kind::kChange:
      ++work.changes;
      rows_of(work, plan.access) += outcome.rows;
      break;
    default:
      ++work.others;
  }
  if (&work == &one) peer.tell_account(one);
}

void Tally::tell_account() {
  if (work_.reads + work_.changes + work_.others == 0) return;
  current_->tell_account(std::exchange(work_, {}));
}

// The next request begins where this one has ended: the clock is looked at once for each.
void Tally::note_time(const Peer& peer, const Plan& plan, const Outcome& outcome) {
  const int64_t now_ns = monotonic_ns();
  const int64_t worked_ns = now_ns - began_ns_ - waited_ns_;
  const int64_t took_ns = now_ns - peer.record.arrived_ns();
  began_ns_ = now_ns;
  waited_ns_ = 0;
  if (slow_log_->is_slow(took_ns) && slow_log_->takes_one()) {
    log_slow(peer, plan, outcome, took_ns, took_ns - worked_ns);
  }
}

void Tally::log_slow(const Peer& peer, const Plan& plan, const Outcome& outcome, int64_t took_ns,
                     int64_t waited_ns) try {
  SlowRequest slow;
  ConnectionInfo info = peer.record.info();
  slow.connection = peer.record.id();
  slow.user = std::move(info.user);
  slow.host = std::move(info.host);
  slow.kind = kind_of(plan);
  slow.in_transaction = peer.transaction != nullptr;
  if (plan.spec != nullptr) {
    const engine::IndexSpec& spec = **plan.spec;
    slow.database = spec.database;
    slow.table = spec.table;
    slow.index = spec.index;
  }
  slow.rows = outcome.rows;
  slow.failed = outcome.error.has_value();
  slow.took_ns = took_ns;
  slow.waited_ns = waited_ns;
  slow_log_->add(std::move(slow));
} catch (const std::bad_alloc&) {
  slow_log_->drop();
}

// The one that was used last is at the end.
Tally::Answered& Tally::answered_at(int64_t arrived_ns) {
  if (!answered_.empty() && answered_.back().arrived_ns == arrived_ns) return answered_.back();
  const auto known = std::find_if(
      answered_.begin(), answered_.end(),
      [arrived_ns](const Answered& answered) { return answered.arrived_ns == arrived_ns; });
  if (known != answered_.end()) {
    std::swap(*known, answered_.back());
  } else {
    answered_.push_back({arrived_ns, {}});
  }
  return answered_.back();
}

void Tally::end_batch() {
  count_use();
  if (requests_ == 0) return;
  counters_.requests.add(std::exchange(requests_, 0));
  if (!std::exchange(is_batch_, true)) counters_.batches.add(1);
}

void Tally::replies_are_out() {
  if (answered_.empty()) return;
  const int64_t now_ns = monotonic_ns();
  for (const Answered& answered : answered_) {
    for (size_t kind = 0; kind < kRequestKinds; ++kind) {
      const uint32_t requests = answered.requests[kind];
      if (requests == 0) continue;
      counters_.latency[kind].record(now_ns - answered.arrived_ns, requests);
    }
  }
  answered_.clear();
}

void Tally::clear() {
  answered_.clear();
  is_batch_ = false;
}

}  // namespace hs::server
