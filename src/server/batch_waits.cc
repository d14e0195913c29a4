// Requests that must wait: for a lock, a login, a commit or a GTID. One is executed in a thread that waits
// for a lock, or stays in its client's input as if it had not been read.
#include "base/clock.h"
#include "engine/waiting.h"
#include "exec/gtid.h"
#include "exec/login.h"
#include "server/batch.h"

namespace hs::server {

using exec::Plan;
using protocol::Request;

// Handles a request that must wait, with nothing uncommitted but in the client's own transaction.
// False: it was parked.
bool Batch::answer_or_park(Entry& entry) {
  Peer& peer = *entry.peer;
  const uint32_t patience_ms = at_work_->patience_ms();
  const int64_t waited_ms = peer.waits_since_ms == 0 ? 0 : monotonic_ms() - peer.waits_since_ms;
  if (waited_ms >= patience_ms) {
    // This is the last try: its error stands.
    answer_waiting(entry, 0);
    return true;
  }
  if (outlet_ != nullptr && !outlet_->begin_wait(peer)) {
    park(entry);
    return false;
  }
  struct Wait {
    Outlet* outlet;
    ~Wait() {
      if (outlet != nullptr) outlet->end_wait();
    }
  } const wait{outlet_};
  // After begin_wait(), since whatever kills the connection interrupts only what can be seen there.
  const bool gives_up = peer.record.is_killed();
  answer_waiting(entry, gives_up ? 0 : patience_ms - static_cast<uint32_t>(waited_ms));
  return true;
}

void Batch::answer_waiting(Entry& entry, uint32_t most_ms) {
  const engine::Waiting waiting(*at_work_, most_ms);
  if (most_ms != 0) counters_.lock_waits.add(1);
  const int64_t began_ns = tally_.waits_since();
  answer_again(entry);
  tally_.waited(began_ns);
}

// The message and all that follows it stay in the input as if they had not been read.
void Batch::set_aside(Entry& entry) {
  Peer& peer = *entry.peer;
  peer.output().truncate(entry.reply_begin);
  peer.used = static_cast<size_t>(entry.text.data() - peer.input().data());
  peer.conversation->forget_incomplete();
  peer.may_have_more = true;
  peer.awaits_commit = peer.awaits_gtid = false;
  peer.ending = Peer::Ending::kNone;
}

// True: the request is set aside. What the peer has changed is committed first, together with the
// changes of others, and its replies do not wait for what this request waits for.
bool Batch::waits_for_gtid(const Request& request, Entry& entry) {
  Peer& peer = *entry.peer;
  if (has_changed_) {
    set_aside(entry);
    peer.awaits_commit = true;
    return true;
  }
  if (entry.plan.kind != Plan::Kind::kAwaitGtid) return false;
  // What is read behind it must not be older than what was waited for.
  if (!writes()) (void)session_.commit();
  const auto look = exec::look_for_gtid(context_, request, monotonic_ms(), peer.client, session_,
                                        [&peer] { return peer.host(); });
  if (!look) {
    entry.plan = {.error = look.error().code};
  } else if (*look == exec::GtidLook::kMustWait) {
    set_aside(entry);
    peer.awaits_gtid = true;
    return true;
  } else {
    entry.plan.is_applied = *look == exec::GtidLook::kApplied;
  }
  return false;
}

// True: the request is set aside until the peer's login is done.
bool Batch::waits_for_login(const Request& request, Entry& entry) {
  Peer& peer = *entry.peer;
  const net::Transport& transport = peer.transport();
  const net::TlsStream* const tls = transport.tls();
  const exec::Channel channel{transport.descriptor(), tls != nullptr ? tls->ssl() : nullptr,
                              transport.is_secure(), transport.is_local()};
  if (!exec::begin_login(request, channel, peer.client)) return false;
  set_aside(entry);
  peer.logs_in = true;
  return true;
}

void Batch::park(Entry& entry) {
  Peer& peer = *entry.peer;
  set_aside(entry);
  peer.parked = true;
  counters_.parked.add(1);
  if (peer.waits_since_ms == 0) peer.waits_since_ms = monotonic_ms();
  entry.peer = nullptr;
}

}  // namespace hs::server
