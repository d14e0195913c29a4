#include "server/batch.h"

#include <string.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <utility>

#include "base/assert.h"
#include "base/clock.h"
#include "exec/auth.h"
#include "exec/login.h"

namespace hs::server {
namespace {

// Decoding a shorter message takes no time worth counting.
constexpr size_t kLongText = 64u << 10;

std::atomic<size_t> next_share{0};

bool takes_requests(const Peer& peer) {
  return peer.ending == Peer::Ending::kNone && !peer.parked && !peer.logs_in &&
         !peer.record.is_killed();
}

// What the client has shown of itself is not left in memory: the line, and the value that was
// decoded from it.
void overwrite(std::string_view text, const Value& value) {
  ::explicit_bzero(const_cast<char*>(text.data()), text.size());
  if (!value.is_null()) ::explicit_bzero(const_cast<char*>(value.data), value.size);
}

}  // namespace

using exec::Plan;
using protocol::Message;
using protocol::Request;
using protocol::Verb;

Batch::Batch(const exec::Context& context, std::span<const protocol::Protocol* const> protocols,
             engine::Session& session, Counters& counters, Outlet* outlet, SlowLog* slow_log)
    : context_(context),
      session_(session),
      counters_(counters),
      outlet_(outlet),
      slow_log_(slow_log),
      share_(next_share.fetch_add(1, std::memory_order_relaxed)) {
  for (const protocol::Protocol* protocol : protocols) {
    formats_.push_back({protocol, protocol->make_codec(context.limits.max_reply_size, &stream_)});
  }
  exec::Meter::Options meter;
  if (outlet != nullptr) {
    meter.on_long_request = [this] {
      took_long_ = true;
      session_.takes_long();
      outlet_->step_aside(current_);
    };
  }
  meter.batch_ns = writes() ? kWriteNs : kReadNs;
  meter.now_ns = context.now_ns;
  meter_ = exec::Meter(std::move(meter));
  entries_.reserve(kMaxRequests);
  peers_.reserve(kMaxRequests);
  answered_.reserve(kMaxRequests);  // a peer has one time of arrival
}

void Batch::take_limits() {
  for (Format& format : formats_) format.codec->set_max_reply_size(context_.limits.max_reply_size);
}

protocol::Codec& Batch::codec_of(const Peer& peer) {
  const auto found = std::find_if(formats_.begin(), formats_.end(), [&](const Format& format) {
    return format.protocol == &peer.protocol;
  });
  HS_ASSERT(found != formats_.end());
  return *found->codec;
}

void Batch::run(Peer& peer) {
  peers_.push_back(&peer);
  peer.may_have_more = false;
  peer.parked = peer.logs_in = false;
  peer.record.set_state(ConnectionRecord::State::kExecuting);
  began_ns_ = slow_log_ != nullptr && slow_log_->is_on() ? monotonic_ns() : 0;
  current_ = &peer;
  run_messages(peer);
  current_ = nullptr;
}

void Batch::run_messages(Peer& peer) {
  protocol::Codec& codec = codec_of(peer);
  while (takes_requests(peer)) {
    if (has_enough() || peer.over_high_water()) {
      peer.may_have_more = true;
      return;
    }
    const std::string_view unread = peer.input().view().substr(peer.used);
    const Message message = codec.next(*peer.conversation, unread, longest_message(peer));
    switch (message.state) {
      case Message::State::kComplete:
        peer.used += message.consumed;
        execute(peer, message.text);
        break;
      case Message::State::kIncomplete:
        if (!peer.input_refused()) return;
        peer.end_with(ErrorCode::kMaxMemory);
        break;
      case Message::State::kRefused:
        peer.end_with(message.refusal);
        break;
    }
  }
}

size_t Batch::longest_message(Peer& peer) const {
  const bool known = exec::is_known(peer.client);
  peer.set_known(known);
  const size_t most = context_.limits.max_request_size;
  return known ? most : std::min(most, kMaxRequestOfUnknown);
}

void Batch::execute(Peer& peer, std::string_view text) {
  Entry entry{&peer, text, peer.output().size()};
  try {
    meter_.begin_request();
    if (text.size() >= kLongText) meter_.expect(text.size() / exec::Meter::kBytesPerUnit);
    Request request = decode(entry);
    if (request.verb == Verb::kForeign) return turn_away(peer);
    entry.plan = exec::plan(context_, request, peer.client);
    if (ends_group(entry.plan)) {
      count_use();  // the client may be about to close the index
      commit_group();
      if (!takes_requests(peer)) return;
      // Requests that were executed again have overwritten the codec's memory.
      request = decode(entry);
      entry.reply_begin = peer.output().size();
    }
    if (request.verb == Verb::kAuth && waits_for_login(request, entry)) return;
    entries_.push_back(entry);
    running_ = entries_.size();
    answer(request, entry);
    running_ = 0;
    if (request.verb == Verb::kAuth) overwrite(text, request.auth_key);
    entries_.back().outcome = entry.outcome;
    // It was counted when it began, without its rows and its time.
    if (streams_) {
      counters_.rows_found.add(entry.outcome.rows);
      note_answered(peer, entry.plan);
    }
    if (session_.must_wait() && !session_.transaction_lost()) {
      // Other sessions may wait for what the group has locked, so the group is committed first.
      peer.output().truncate(entry.reply_begin);
      entries_.pop_back();
      commit(group());
      group_begin_ = entries_.size();
      if (!takes_requests(peer)) return;
      entry.reply_begin = peer.output().size();
      if (!answer_or_park(entry)) return;
      entries_.push_back(entry);
    }
    if (entry.plan.spec != nullptr) note_use(**entry.plan.spec, entry.outcome.rows);
    if (began_ns_ != 0) note_time(entry);
  } catch (...) {
    give_up(entry);
  }
  if (!streams_) reply_bytes_ += peer.output().size() - entry.reply_begin;
  // Only now, with its table open, is it certain whether the request can be undone.
  const bool in_group = entry.plan.kind != Plan::Kind::kConnection && !is_final(entry.plan);
  if (writes() && session_.transaction_lost()) {
    if (in_group) {
      execute_group_again();
    } else {
      session_.rollback();
    }
  }
  if (in_group) return;
  // The request is committed for itself, so that no change is uncommitted while the group is empty.
  if (session_.has_uncommitted_changes() && !entries_.empty()) {
    group_begin_ = entries_.size() - 1;
    commit(group());
  }
  group_begin_ = entries_.size();
}

// The client gets the replies to its earlier requests, and then the connection ends.
void Batch::turn_away(Peer& peer) {
  peer.ending = Peer::Ending::kForeign;
  met_foreigner_ = true;
  counters_.foreigners.add(1);
}

// Whether the changes so far must be committed before the request: because no rollback undoes what
// the request does, or because its table must be opened, which may take long.
bool Batch::ends_group(const Plan& plan) const {
  if (plan.kind == Plan::Kind::kConnection) return true;
  if (!writes() || plan.spec == nullptr) return false;
  return is_final(plan) || (session_.has_uncommitted_changes() && !session_.is_open(*plan.spec));
}

// Whether the request's changes stay even if they are undone or rolled back.
bool Batch::is_final(const Plan& plan) const {
  if (plan.kind != Plan::Kind::kChange) return false;
  HS_ASSERT(plan.spec != nullptr);
  return !session_.can_undo(*plan.spec);
}

Request Batch::decode(const Entry& entry) {
  return codec_of(*entry.peer).decode(*entry.peer->conversation, entry.text);
}

void Batch::answer(const Request& request, Entry& entry) {
  Peer& peer = *entry.peer;
  // Room for a short reply is made first, so that no request is executed that cannot be answered.
  constexpr size_t kShortReply = 64;
  streams_ = false;
  peer.output().reserve(kShortReply);
  protocol::ReplyWriter& reply = codec_of(peer).reply_to(*peer.conversation, peer.output());
  entry.outcome =
      exec::execute(context_, entry.plan, request, peer.client, session_, scratch_, reply);
  HS_ASSERT(streams_ || peer.output().size() > entry.reply_begin);  // there is a reply
  if (!session_.must_wait()) peer.waits_since_ms = 0;
}

// Handles a request that must wait, with nothing uncommitted. False: it was parked.
bool Batch::answer_or_park(Entry& entry) {
  Peer& peer = *entry.peer;
  const uint32_t patience_ms = session_.patience_ms();
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
  struct Waiting {
    engine::Session& session;
    ~Waiting() { session.end_waiting(); }
  } const waiting{session_};
  session_.begin_waiting(most_ms);
  if (most_ms != 0) counters_.lock_waits.add(1);
  const int64_t began_ns = began_ns_ != 0 ? monotonic_ns() : 0;
  answer(decode(entry), entry);
  if (began_ns_ != 0) waited_ns_ += monotonic_ns() - began_ns;
}

// The message and all that follows it stay in the input as if they had not been read.
void Batch::set_aside(Entry& entry) {
  Peer& peer = *entry.peer;
  peer.output().truncate(entry.reply_begin);
  peer.used = static_cast<size_t>(entry.text.data() - peer.input().data());
  peer.conversation->forget_incomplete();
  peer.may_have_more = true;
  peer.ending = Peer::Ending::kNone;
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

void Batch::execute_group_again() {
  session_.rollback();
  take_replies_back(group());
  for (Entry& entry : group()) {
    if (entry.peer->ending == Peer::Ending::kFailed) continue;
    if (entry.peer->parked) {
      entry.peer = nullptr;  // the message follows the one that is parked
      ++parked_;
      continue;
    }
    counters_.retries.add(1);
    execute_alone(entry);
  }
  group_begin_ = entries_.size();
}

void Batch::execute_alone(Entry& entry) {
  Buffer& output = entry.peer->output();
  entry.reply_begin = output.size();
  for (int attempt = 1;; ++attempt) {
    try {
      answer(decode(entry), entry);
      if (session_.must_wait()) {
        output.truncate(entry.reply_begin);
        session_.rollback();
        if (!answer_or_park(entry)) {
          ++parked_;
          return;
        }
      }
    } catch (...) {
      give_up(entry);
    }
    if (!session_.transaction_lost()) return commit({&entry, 1});
    session_.rollback();
    if (attempt == kAttemptsAlone) return;
    output.truncate(entry.reply_begin);
  }
}

void Batch::commit(std::span<Entry> group) {
  const bool changed = session_.has_uncommitted_changes();
  const Result<void> committed = session_.commit();
  if (committed) {
    if (changed) counters_.commits.add(1);
    return;
  }
  // Each request of several may succeed alone.
  if (session_.transaction_lost() && group.size() > 1) return execute_group_again();
  session_.rollback();
  take_replies_back(group);
  for (Entry& entry : group) {
    if (entry.peer->ending != Peer::Ending::kFailed) reply_error(entry, committed.error());
  }
}

void Batch::commit_group() {
  if (group().empty()) return;
  commit(group());
  group_begin_ = entries_.size();
}

void Batch::take_replies_back(std::span<const Entry> group) {
  for (auto entry = group.rbegin(); entry != group.rend(); ++entry) {
    Buffer& output = entry->peer->output();
    if (output.size() > entry->reply_begin) output.truncate(entry->reply_begin);
  }
}

void Batch::reply_error(Entry& entry, const Error& error) {
  entry.reply_begin = entry.peer->output().size();
  try {
    codec_of(*entry.peer).reply_to(*entry.peer->conversation, entry.peer->output()).error(error);
    entry.outcome = {.error = error.code};
  } catch (...) {
    give_up(entry);
  }
}

// There is no memory even for an error reply. Without a reply the client would take the next one
// for it, so the connection ends here.
void Batch::give_up(Entry& entry) {
  entry.peer->ending = streams_ ? Peer::Ending::kAbandoned : Peer::Ending::kFailed;
  out_of_memory_ = true;
  if (!streams_) entry.peer->output().truncate(entry.reply_begin);
  codec_of(*entry.peer).drop_reply();
}

// The reply positions of the peer's earlier requests become invalid here, so those requests are
// counted now.
void Batch::begin_stream() {
  Peer& peer = *current_;
  streams_ = true;
  peer.is_slow = false;
  size_t number = 0;
  for (Entry& entry : entries_) {
    ++number;
    if (entry.peer != &peer) continue;
    count(entry);
    if (number != running_) note_answered(peer, entry.plan);
    entry.peer = nullptr;
  }
}

void Batch::finish() {
  if (took_long_) end_interruptible();
  count_use();
  if (!entries_.empty()) {
    if (writes()) commit(group());
    counters_.batches.add(1);
    counters_.requests.add(entries_.size() - parked_);
  }
  for (const Entry& entry : entries_) {
    count(entry);
    if (entry.peer != nullptr) note_answered(*entry.peer, entry.plan);
  }
  for (Peer* peer : peers_) finish(*peer);
}

// No request of another connection may be interrupted for this one.
void Batch::end_interruptible() {
  took_long_ = false;
  outlet_->end_interruptible();
}

void Batch::finish(Peer& peer) {
  peer.input().consume(peer.used);
  peer.used = 0;
  if (peer.input().empty()) peer.input().shrink(net::kBusyBuffer);
  if (peer.ending != Peer::Ending::kLastWords) return;
  Entry unexecuted{&peer, {}, 0};
  reply_error(unexecuted, Error{peer.last_words, 0, {}});
  peer.record.count_error();
  count_error(peer.last_words);
}

void Batch::count(const Entry& entry) {
  if (entry.peer == nullptr) return;
  entry.peer->record.count_request(entry.outcome.error.has_value());
  if (entry.outcome.error) count_error(*entry.outcome.error);
  const uint64_t rows = entry.outcome.rows;
  switch (entry.plan.kind) {
    case Plan::Kind::kConnection:
      entry.peer->record.set_open_indexes(entry.peer->client.open_indexes());
      return;
    case Plan::Kind::kRefused:
      return;
    case Plan::Kind::kRead:
      counters_.finds.add(1);
      counters_.rows_found.add(rows);
      return;
    case Plan::Kind::kChange:
      counters_.changes[static_cast<size_t>(entry.plan.access)].add(1);
      counters_.rows_changed.add(rows);
  }
}

void Batch::count_error(ErrorCode error) {
  counters_.errors.add(1);
  counters_.errors_by_kind[static_cast<size_t>(error_kind(error))].add(1);
}

void Batch::abandon() {
  count_use();
  if (took_long_) end_interruptible();
  session_.rollback();
  for (Peer* peer : peers_) {
    peer->used = 0;
    peer->ending = Peer::Ending::kAbandoned;
  }
}

void Batch::mark_unfinished() {
  count_use();  // a peer that is split off may close its indexes
  for (Peer* peer : peers_) peer->unfinished = peer->ending != Peer::Ending::kNone;
  if (current_ != nullptr) current_->unfinished = true;
  // On the read port a request is final as soon as it is answered.
  if (writes()) {
    for (const Entry& entry : group()) entry.peer->unfinished = true;
  }
  for (Entry& entry : entries_) {
    if (entry.peer == nullptr || entry.peer->unfinished) continue;
    count(entry);
    note_answered(*entry.peer, entry.plan);
    entry.peer = nullptr;
  }
  // These replies do not wait for the rest of the batch.
  replies_are_out();
}

// The next request begins where this one has ended: the clock is looked at once for each.
void Batch::note_time(const Entry& entry) {
  const int64_t now_ns = monotonic_ns();
  const int64_t worked_ns = now_ns - began_ns_ - waited_ns_;
  const int64_t took_ns = now_ns - entry.peer->record.arrived_ns();
  began_ns_ = now_ns;
  waited_ns_ = 0;
  if (slow_log_->is_slow(took_ns) && slow_log_->takes_one()) {
    log_slow(entry, took_ns, took_ns - worked_ns);
  }
}

void Batch::log_slow(const Entry& entry, int64_t took_ns, int64_t waited_ns) try {
  SlowRequest slow;
  const ConnectionRecord& record = entry.peer->record;
  ConnectionInfo info = record.info();
  slow.connection = record.id();
  slow.user = std::move(info.user);
  slow.host = std::move(info.host);
  slow.kind = kind_of(entry.plan);
  if (entry.plan.spec != nullptr) {
    const engine::IndexSpec& spec = **entry.plan.spec;
    slow.database = spec.database;
    slow.table = spec.table;
    slow.index = spec.index;
  }
  slow.rows = entry.outcome.rows;
  slow.failed = entry.outcome.error.has_value();
  slow.took_ns = took_ns;
  slow.waited_ns = waited_ns;
  slow_log_->add(std::move(slow));
} catch (const std::bad_alloc&) {
  slow_log_->drop();
}

// The counters of an index are shared by all threads, so they are not written for each request.
void Batch::note_use(const engine::IndexSpec& spec, uint64_t rows) {
  if constexpr (!kCounts) return;
  if (use_.spec != &spec) {
    count_use();
    use_.spec = &spec;
  }
  ++use_.requests;
  use_.rows += rows;
}

void Batch::count_use() {
  if (use_.spec == nullptr) return;
  exec::usage_of(*use_.spec).count(share_, use_.requests, use_.rows);
  use_ = {};
}

void Batch::note_answered(const Peer& peer, const Plan& plan) {
  if constexpr (!kCounts) return;
  const int64_t arrived_ns = peer.record.arrived_ns();
  if (answered_.empty() || answered_.back().arrived_ns != arrived_ns) {
    const auto known = std::find_if(
        answered_.begin(), answered_.end(),
        [arrived_ns](const Answered& answered) { return answered.arrived_ns == arrived_ns; });
    if (known != answered_.end()) {
      std::swap(*known, answered_.back());
    } else {
      answered_.push_back({arrived_ns, {}});
    }
  }
  ++answered_.back().requests[static_cast<size_t>(kind_of(plan))];
}

void Batch::replies_are_out() {
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

void Batch::clear() {
  const bool has_read = !writes() && !entries_.empty();
  peers_.clear();
  entries_.clear();
  answered_.clear();
  // What was only read is final before its end, so no reply waits for this. This comes after peers_
  // is cleared: a thread that takes the lead meanwhile must find no peer here that was settled.
  if (has_read) (void)session_.commit();
  group_begin_ = parked_ = running_ = 0;
  reply_bytes_ = 0;
  current_ = nullptr;
  streams_ = false;
  out_of_memory_ = false;
  met_foreigner_ = false;
  meter_.begin_batch();
}

}  // namespace hs::server
