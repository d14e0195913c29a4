#include "server/batch.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "exec/auth.h"
#include "server/forget.h"

namespace hs::server {
namespace {

// Decoding a shorter message takes no time worth counting.
constexpr size_t kLongText = 64u << 10;

bool is_about_gtid(const exec::Plan& plan) {
  return plan.kind == exec::Plan::Kind::kLastGtid || plan.kind == exec::Plan::Kind::kAwaitGtid;
}

// The request belongs to no group.
bool is_alone(const exec::Plan& plan) {
  return plan.kind == exec::Plan::Kind::kConnection || plan.kind == exec::Plan::Kind::kAwaitGtid ||
         plan.is_alone;
}

void overwrite_message(Peer& peer, std::string_view text) {
  if (peer.is_set_aside(text)) return;
  overwrite(text);
  peer.has_shown_proof = true;
}

// What a client shows of itself stays neither in the codec's memory nor, whatever becomes of the
// request, in the message.
class Forgetting {
 public:
  Forgetting(Peer& peer, std::string_view text, const protocol::Request& request)
      : peer_(peer), text_(text), request_(request) {}
  Forgetting(const Forgetting&) = delete;
  Forgetting& operator=(const Forgetting&) = delete;
  ~Forgetting() {
    if (request_.verb == protocol::Verb::kAuth) [[unlikely]]
      forget();
  }

 private:
  void forget() {
    forget_decoded(text_, request_);
    overwrite_message(peer_, text_);
  }

  Peer& peer_;
  const std::string_view text_;
  const protocol::Request& request_;
};

}  // namespace

using exec::Plan;
using protocol::Message;
using protocol::Request;
using protocol::Verb;

Batch::Batch(const exec::Context& context, std::span<const protocol::Protocol* const> protocols,
             engine::Session& session, Counters& counters, Outlet* outlet, SlowLog* slow_log,
             Transactions* transactions)
    : context_(context),
      session_(session),
      transactions_(transactions),
      counters_(counters),
      outlet_(outlet),
      tally_(counters, slow_log, kMaxRequests) {
  for (const protocol::Protocol* protocol : protocols) {
    formats_.push_back({protocol, protocol->make_codec(context.limits.max_reply_size, &stream_)});
  }
  exec::Meter::Options meter;
  if (outlet != nullptr) {
    meter.on_long_request = [this] {
      took_long_ = true;
      at_work_->takes_long();
      outlet_->step_aside(answering_);
    };
  }
  meter.batch_ns = writes() ? kWriteNs : kReadNs;
  meter.now_ns = context.now_ns;
  meter_ = exec::Meter(std::move(meter));
  peers_.reserve(kMaxRequests);
  if (!writes()) return;
  whole_.reserve(kMostParts);
  group_.reserve(kMaxRequests + kMostParts);
}

void Batch::take_limits() {
  for (Format& format : formats_) format.codec->set_max_reply_size(context_.limits.max_reply_size);
}

protocol::Codec& Batch::codec_of(const Peer& peer) {
  const auto found = std::find_if(formats_.begin(), formats_.end(), [&](const Format& format) {
    return format.protocol == &peer.protocol;
  });
  if (found != formats_.end()) return *found->codec;
  // Of an endpoint that was opened later.
  formats_.push_back(
      {&peer.protocol, peer.protocol.make_codec(context_.limits.max_reply_size, &stream_)});
  return *formats_.back().codec;
}

void Batch::run(Peer& peer) {
  peers_.push_back(&peer);
  peer.may_have_more = false;
  peer.parked = peer.logs_in = peer.awaits_commit = peer.awaits_gtid = false;
  has_changed_ = false;
  peer.record.set_state(ConnectionRecord::State::kExecuting);
  tally_.begin(peer);
  current_ = &peer;
  run_messages(peer, codec_of(peer));
  if (entered_ != nullptr) leave_transaction();
  current_ = nullptr;
  tally_.end();
}

void Batch::run_messages(Peer& peer, protocol::Codec& codec) {
  size_t longest = longest_message(peer);
  while (peer.takes_requests()) {
    if (has_enough() || peer.over_high_water()) {
      peer.may_have_more = true;
      return;
    }
    const std::string_view unread = peer.input().view().substr(peer.used);
    const Message message = codec.next(*peer.conversation, unread, longest);
    switch (message.state) {
      case Message::State::kComplete:
        peer.used += message.consumed;
        if (execute(peer, codec, message.text)) longest = longest_message(peer);
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
  const bool known = exec::is_known(peer.client) ||
                     (peer.protocol.knows_at_once() && !peer.client.authentication().is_required());
  peer.set_known(known);
  const size_t most = context_.limits.max_request_size;
  return known ? most : std::min(most, kMaxRequestOfUnknown);
}

// True: the request may have changed what is known of the client.
bool Batch::execute(Peer& peer, protocol::Codec& codec, std::string_view text) {
  Entry entry{&peer, text, peer.output().size()};
  bool has_reply = false;
  streams_ = false;
  try {
    meter_.begin_request();
    if (text.size() >= kLongText) meter_.expect(text.size() / exec::Meter::kBytesPerUnit);
    Request request = codec.decode(*peer.conversation, text);
    const Forgetting forgetting(peer, text, request);
    if (request.verb == Verb::kForeign) {
      turn_away(peer);
      return false;
    }
    entry.plan = plan(request, peer);
    if (peer.transaction != nullptr || request.verb == Verb::kTransaction) [[unlikely]] {
      if (may_be_whole(request, entry)) {
        if (execute_whole(codec, entry) || !peer.takes_requests()) return false;
        request = codec.decode(*peer.conversation, text);  // its memory was used
      }
      if (transact(request, codec, entry)) {
        if (!streams_) reply_bytes_ += peer.output().size() - entry.reply_begin;
        return entry.plan.kind == Plan::Kind::kConnection;
      }
    }
    if (is_about_gtid(entry.plan) && waits_for_gtid(request, entry)) return false;
    // Replies inside a transaction are final at once, so none in front of them may be of a group.
    if (ends_group(entry.plan, peer) || (writes() && peer.transaction != nullptr)) {
      if (!group_.empty()) end_group();
      tally_.count_use();  // the client may be about to close the index
      if (!peer.takes_requests()) return false;
      // Requests that were executed again have overwritten the codec's memory.
      request = codec.decode(*peer.conversation, text);
      if (request.verb == Verb::kCommand) entry.plan = plan(request, peer);
      entry.reply_begin = peer.output().size();
    }
    if (request.verb == Verb::kAuth && waits_for_login(request, entry)) return true;
    ++requests_;
    if (writes()) group_.push_back(entry);
    has_reply = true;
    answer(request, codec, entry);
    if (writes()) group_.back().outcome = entry.outcome;
    if (has_changed(entry)) has_changed_ = true;
    if (session_.must_wait() && !session_.transaction_lost() && !entry.outcome.must_undo) {
      // Other sessions may wait for what the group has locked, so the group is committed first.
      peer.output().truncate(entry.reply_begin);
      if (writes()) group_.pop_back();
      end_group();
      if (!peer.takes_requests()) return false;
      entry.reply_begin = peer.output().size();
      if (!answer_or_park(entry)) return false;
      if (writes()) group_.push_back(entry);
      if (has_changed(entry)) has_changed_ = true;
    }
    if (request.ends_connection) peer.ending = Peer::Ending::kQuit;
    tally_.worked(peer, entry.plan, entry.outcome);
  } catch (...) {
    give_up(entry);
    // How far a command has come is not known.
    entry.outcome.must_undo = entry.plan.is_command && entry.plan.kind == Plan::Kind::kChange;
    overwrite_message(peer, text);
  }
  if (!streams_) reply_bytes_ += peer.output().size() - entry.reply_begin;
  if (!writes()) {
    if (has_reply) tally_.done(peer, entry.plan, entry.outcome);
  } else {
    end_request(entry, peer.transaction != nullptr);
  }
  if (is_alone(entry.plan) && !peer.parked) settle(peer);
  return entry.plan.kind == Plan::Kind::kConnection || entry.plan.is_alone;
}

void Batch::settle(Peer& peer) {
  protocol::Settled settled = peer.conversation->settle();
  if (settled.new_name) peer.client.set_name(*std::move(settled.new_name));
  if (settled.ends_connection) peer.ending = Peer::Ending::kQuit;
  if (!settled.logs_out) return;
  tally_.count_use();  // for the account
  peer.client.log_out();
}

// On the write port: what follows for the group. `alone`: the request is in none.
void Batch::end_request(const Entry& entry, bool alone) {
  // Only now, with its table open, is it certain whether the request can be undone.
  const bool may_repeat = !alone && !is_final(entry.plan, *entry.peer);
  const bool in_group = may_repeat && !is_alone(entry.plan);
  if (session_.transaction_lost() || entry.outcome.must_undo) {
    // A command that belongs to no group may have to wait in its middle, too.
    const bool gave_way = session_.transaction_lost() || session_.must_wait();
    // One that changes tables without rollback, too, may not have come to those yet.
    const bool is_undone = may_repeat || (!alone && !entry.outcome.keeps_changes);
    if (in_group || (is_undone && gave_way && entry.plan.is_command)) {
      execute_group_again();
      tally_group();
    } else {
      session_.rollback();
    }
  }
  if (in_group) return;
  // The request is committed for itself, so that no change is uncommitted while the group is empty.
  if (session_.has_uncommitted_changes() && !group_.empty()) {
    const std::span<Entry> last = std::span(group_).last(1);
    if (const Result<void> committed = commit(last); !committed) {
      const bool tries_again = may_repeat && session_.transaction_lost() && session_.gave_way();
      tries_again ? execute_group_again() : refuse(last, committed.error());
    }
  }
  tally_group();
}

// The client gets the replies to its earlier requests, and then the connection ends.
void Batch::turn_away(Peer& peer) {
  peer.ending = Peer::Ending::kForeign;
  met_foreigner_ = true;
  counters_.foreigners.add(1);
}

// Whether the changes so far must be committed before the request: because no rollback undoes what
// the request does, or because its table must be opened, which may take long.
bool Batch::ends_group(const Plan& plan, const Peer& peer) const {
  if (is_alone(plan)) return true;
  if (plan.kind == Plan::Kind::kDescribe) return session_.has_uncommitted_changes();
  if (plan.is_unresolved) return true;
  if (!writes() || plan.spec == nullptr) return false;
  return is_final(plan, peer) ||
         (session_.has_uncommitted_changes() &&
          !all_of_specs(plan, peer, [this](const auto& spec) { return session_.is_open(spec); }));
}

// Whether the request's changes stay even if they are undone or rolled back.
bool Batch::is_final(const Plan& plan, const Peer& peer) const {
  if (plan.kind != Plan::Kind::kChange) return false;
  return !all_of_specs(plan, peer, [this](const auto& spec) { return session_.can_undo(spec); });
}

void Batch::answer(const Request& request, protocol::Codec& codec, Entry& entry) {
  Peer& peer = *entry.peer;
  answering_ = &peer;
  // Room for a short reply is made first, so that no request is executed that cannot be answered.
  constexpr size_t kShortReply = 64;
  peer.output().reserve(kShortReply);
  protocol::ReplyWriter& reply = codec.reply_to(*peer.conversation, peer.output());
  entry.outcome =
      exec::execute(context_, entry.plan, request, peer.client, *at_work_, scratch_, reply);
  // There is a reply, unless a command's client wants none.
  HS_ASSERT(streams_ || request.verb == Verb::kCommand || peer.output().size() > entry.reply_begin);
  if (!at_work_->must_wait()) peer.waits_since_ms = 0;
}

Result<void> Batch::commit(std::span<Entry> group) {
  const bool changed = session_.has_uncommitted_changes();
  Result<void> committed = session_.commit();
  if (committed && changed) {
    counters_.commits.add(1);
    note_gtid(group);
  }
  return committed;
}

// Each peer that has changed something may ask which transaction it was.
void Batch::note_gtid(std::span<Entry> group) {
  const engine::Gtid gtid = session_.last_gtid();
  if (gtid.empty()) return;
  const Peer* last = nullptr;
  for (const Entry& entry : group) {
    if (entry.peer == last || entry.peer == nullptr || !has_changed(entry)) continue;
    entry.peer->client.set_last_gtid(gtid);
    last = entry.peer;
  }
}

// Commits also when the group is empty: other sessions may wait for what its session holds.
void Batch::end_group() {
  if (const Result<void> committed = commit(group_); !committed) {
    // Each request may succeed alone.
    const bool tries_again =
        session_.transaction_lost() && (group_.size() > 1 || session_.gave_way());
    tries_again ? execute_group_again() : refuse(group_, committed.error());
  }
  tally_group();
}

// The replies of the group are final.
void Batch::tally_group() {
  has_changed_ = false;
  for (Entry& entry : group_) make_final(entry);
  group_.clear();
}

void Batch::make_final(Entry& entry) {
  Peer* const peer = std::exchange(entry.peer, nullptr);
  if (peer == nullptr) return;
  tally_.done(*peer, entry.plan, entry.outcome);
  if (entry.part == Entry::Part::kEnd) transactions_->note_whole(!entry.outcome.error);
}

// Only on the read port: the replies before are final.
void Batch::begin_stream() {
  streams_ = true;
  current_->is_slow = false;
}

void Batch::finish() {
  if (took_long_) end_interruptible();
  if (writes() && requests_ != 0) end_group();
  tally_.end_batch();
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
  peer.client.tables().shrink();
  if (peer.ending != Peer::Ending::kLastWords) return;
  Entry unexecuted{&peer, {}, peer.output().size()};
  try {
    codec_of(peer)
        .last_words_to(*peer.conversation, peer.output())
        .error(Error{peer.last_words, 0, {}});
  } catch (...) {
    give_up(unexecuted);
  }
  tally_.last_words(peer, peer.last_words);
}

void Batch::abandon() {
  if (entered_ != nullptr) leave_transaction();
  session_.rollback();  // may wait, and split() then looks at what was being executed
  current_ = nullptr;
  tally_.end();
  tally_.end_batch();
  if (took_long_) end_interruptible();
  for (Peer* peer : peers_) {
    peer->used = 0;
    peer->ending = Peer::Ending::kAbandoned;
  }
}

void Batch::mark_unfinished() {
  for (Peer* peer : peers_) peer->unfinished = peer->ending != Peer::Ending::kNone;
  if (current_ != nullptr) current_->unfinished = true;
  // On the read port a request is final as soon as it is answered.
  for (const Entry& entry : group_) {
    if (entry.peer != nullptr) entry.peer->unfinished = true;  // null: it was parked
  }
  // A peer that is split off may close its indexes, and its replies do not wait for the batch.
  tally_.end_batch();
  tally_.replies_are_out();
}

void Batch::clear() {
  const bool has_read = !writes() && requests_ != 0;
  peers_.clear();
  group_.clear();
  tally_.clear();
  // What was only read is final before its end, so no reply waits for this. This comes after peers_
  // is cleared: a thread that takes the lead meanwhile must find no peer here that was settled.
  if (has_read) (void)session_.commit();
  requests_ = reply_bytes_ = 0;
  out_of_memory_ = lost_outcome_ = met_foreigner_ = false;
  meter_.begin_batch();
}

}  // namespace hs::server
