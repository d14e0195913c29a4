#include "server/waiting_peers.h"

#include <algorithm>
#include <limits>

#include "base/clock.h"
#include "exec/gtid_wait.h"

namespace hs::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// A parked request is tried again after 2 ms, then 4, up to this. A try that fails costs 20 µs.
constexpr int64_t kLongestParkMs = 128;
// How often the leader looks at the parked requests.
constexpr int kLookAtParkedMs = 2;
// How many parked requests are tried at once after a wait has ended, since one more thread may then
// wait.
constexpr int kTriesAfterWait = 2;

}  // namespace

void WaitingPeers::park(Peer& peer) {
  peer.try_at_ms = monotonic_ms() + std::min(int64_t{2} << peer.tries, kLongestParkMs);
  peer.tries = std::min(peer.tries + 1, 10u);
  peer.record.set_state(ConnectionRecord::State::kParked);
  loop_.detach(peer);
  parked_.push_back(peer);
  has_parked_.store(true, std::memory_order_relaxed);
}

void WaitingPeers::await_gtid(Peer& peer) {
  exec::GtidWait& wait = *peer.client.gtid_wait();
  peer.try_at_ms = wait.next_look_ms(monotonic_ms());
  if (peer.client_has_ended()) wait.note_client_has_ended();
  peer.record.set_state(ConnectionRecord::State::kAwaitingGtid);
  loop_.set_aside(peer);
  if (awaiting_.empty() || peer.try_at_ms < look_at_awaiting_ms_) {
    look_at_awaiting_ms_ = peer.try_at_ms;
  }
  awaiting_.push_back(peer);
}

void WaitingPeers::take_due(Queue& queue) {
  if (!parked_.empty()) take_parked(queue);
  if (!awaiting_.empty()) take_awaiting(queue);
}

void WaitingPeers::take_parked(Queue& queue) {
  const int64_t now_ms = monotonic_ms();
  int at_once = wait_ended_.exchange(false, std::memory_order_relaxed) ? kTriesAfterWait : 0;
  if (at_once == 0 && now_ms < look_at_parked_ms_) return;
  look_at_parked_ms_ = now_ms + kLookAtParkedMs;
  Queue stay;
  while (!parked_.empty()) {
    Peer& peer = parked_.pop_front();
    (at_once-- > 0 || peer.try_at_ms <= now_ms ? queue : stay).push_back(peer);
  }
  while (!stay.empty()) parked_.push_back(stay.pop_front());
  has_parked_.store(!parked_.empty(), std::memory_order_relaxed);
}

void WaitingPeers::take_awaiting(Queue& queue) {
  const int64_t now_ms = monotonic_ms();
  if (now_ms < look_at_awaiting_ms_) return;
  look_at_awaiting_ms_ = std::numeric_limits<int64_t>::max();
  Queue stay;
  while (!awaiting_.empty()) {
    Peer& peer = awaiting_.pop_front();
    if (peer.closed()) continue;  // its client has gone
    if (peer.try_at_ms <= now_ms) {
      loop_.detach(peer);
      queue.push_back(peer);
    } else {
      look_at_awaiting_ms_ = std::min(look_at_awaiting_ms_, peer.try_at_ms);
      stay.push_back(peer);
    }
  }
  while (!stay.empty()) awaiting_.push_back(stay.pop_front());
}

nanoseconds WaitingPeers::next_due() const {
  nanoseconds due = net::EventLoop::kForever;
  if (!parked_.empty()) due = milliseconds{kLookAtParkedMs};
  if (!awaiting_.empty()) {
    const int64_t left_ms = std::max<int64_t>(look_at_awaiting_ms_ - monotonic_ms(), 0);
    due = std::min<nanoseconds>(due, milliseconds{left_ms});
  }
  return due;
}

void WaitingPeers::give_up() {
  for (Queue* queue : {&parked_, &awaiting_}) {
    while (!queue->empty()) {
      Peer& peer = queue->pop_front();
      if (peer.detached()) loop_.attach(peer);
    }
  }
}

}  // namespace hs::server
