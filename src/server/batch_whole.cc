// Transactions of which everything is there, from the begin to the commit, when the begin is executed.
//
// Such a transaction needs no session and no commit of its own. Its requests are executed by the
// batch's session one after the other, with no other client's between them, and are committed with the
// group. Its finds lock what they read, as all finds of the write port do. So it reads and does what
// it would alone, and costs as much as so many other requests.
//
// It is put back, and then executed on a session of its own (batch_transaction.cc), when a request of
// it must wait, when the group loses its transaction, or when its replies are too long to be kept.
#include <algorithm>
#include <utility>

#include "server/batch.h"
#include "server/forget.h"

namespace hs::server {
namespace {

// So many rows its finds may go to, which they lock.
constexpr uint64_t kMostRows = 1000;
// When others hold the rows of one, the work of the whole group may be lost with it. So many that
// follow are executed on sessions of their own.
constexpr uint32_t kApartAfterLoss = 64;

uint64_t rows_of(const protocol::Request& request) {
  const bool is_bounded = request.verb == protocol::Verb::kFind && request.filters.empty();
  if (!is_bounded) return kMostRows + 1;
  const uint64_t keys = request.in ? request.in->values.size() : 1;
  return keys * (uint64_t{request.limit} + request.offset);
}

}  // namespace

using exec::Plan;
using protocol::Message;
using protocol::Request;
using protocol::Verb;
using Step = protocol::TransactionStep;

bool Batch::may_be_whole(const Request& request, const Entry& entry) const {
  return entry.plan.kind == Plan::Kind::kTransaction && request.step == Step::kBegin &&
         request.isolation == Isolation::kDefault && !request.reads_only && writes() &&
         transactions_ != nullptr && entry.peer->transaction == nullptr &&
         session_.takes_transactions();
}

// Executes the transaction that `entry` begins. False: it is not there as a whole, or something is in
// the way. Nothing of it was executed then, but what the peer has done before may be committed.
bool Batch::execute_whole(protocol::Codec& codec, Entry& entry) {
  Peer& peer = *entry.peer;
  if (std::exchange(peer.apart, false)) return false;
  if (!find_whole(peer, codec) || !transactions_->allowed()) return false;
  if (apart_ != 0) {
    --apart_;
    return false;
  }
  if (!open_whole(peer)) return false;
  const size_t first = group_.size();
  const size_t before = peer.output().size();
  entry.reply_begin = before;
  entry.part = Entry::Part::kBegin;
  if (!execute_parts(codec, entry)) put_whole_back(first);
  if (peer.output().size() > before) reply_bytes_ += peer.output().size() - before;
  return true;
}

// Whether all of the transaction is in the input, and can be executed with the group: then whole_ has
// what follows the begin. One that changes nothing is left alone, so that it locks nothing.
bool Batch::find_whole(Peer& peer, protocol::Codec& codec) {
  whole_.clear();
  std::string_view unread = peer.input().view().substr(peer.used);
  uint64_t rows = 0;
  bool changes = false;
  while (whole_.size() < kMostParts) {
    const Message message =
        codec.next(*peer.conversation, unread, context_.limits.max_request_size);
    if (message.state != Message::State::kComplete) {
      peer.conversation->forget_incomplete();
      return false;
    }
    unread.remove_prefix(message.consumed);
    const Request request = codec.decode(*peer.conversation, message.text);
    if (request.verb == Verb::kAuth) forget_decoded(message.text, request);
    if (request.verb == Verb::kForeign) return false;
    const Plan plan = exec::plan(context_, request, peer.client);
    whole_.push_back({message.text, message.consumed, plan.spec, plan.kind == Plan::Kind::kChange});
    switch (plan.kind) {
      case Plan::Kind::kTransaction:
        return request.step == Step::kCommit && changes;
      case Plan::Kind::kRefused:
        break;
      case Plan::Kind::kRead:
        rows += rows_of(request);
        if (rows > kMostRows) return false;
        break;
      case Plan::Kind::kChange:
        changes = true;
        break;
      default:
        return false;
    }
  }
  return false;
}

// Whether its tables are open, and can undo what is changed. Opens them with nothing uncommitted.
bool Batch::open_whole(Peer& peer) {
  const auto is_open = [this](const Part& part) {
    return part.spec == nullptr || session_.is_open(*part.spec);
  };
  if (!std::all_of(whole_.begin(), whole_.end(), is_open)) {
    end_group();
    if (!peer.takes_requests()) return false;
    scratch_.acts_for_account = true;
    session_.act_for(peer.client.account().get());
    const bool opened = std::all_of(whole_.begin(), whole_.end(), [&](const Part& part) {
      return is_open(part) || session_.open(*part.spec);
    });
    if (!opened) session_.rollback();  // it may have told to wait
    if (!opened || !std::all_of(whole_.begin(), whole_.end(), is_open)) return false;
  }
  return std::none_of(whole_.begin(), whole_.end(), [this](const Part& part) {
    return part.changes && !session_.can_undo(*part.spec);
  });
}

// False: it must be put back.
bool Batch::execute_parts(protocol::Codec& codec, const Entry& begin) {
  Peer& peer = *begin.peer;
  Entry entry = begin;
  streams_ = whole_changed_ = false;
  try {
    group_.push_back(entry);
    ++requests_;
    reply_step({}, codec, entry);
    tally_.worked(peer, entry.plan, entry.outcome);
    for (const Part& part : whole_) {
      peer.used += part.consumed;
      entry = {.peer = &peer,
               .text = part.text,
               .reply_begin = peer.output().size(),
               .part = Entry::Part::kMiddle};
      if (!execute_part(codec, entry)) return false;
    }
  } catch (...) {
    give_up(entry);
    return false;
  }
  return true;
}

bool Batch::execute_part(protocol::Codec& codec, Entry& entry) {
  Peer& peer = *entry.peer;
  meter_.begin_request();
  const Request request = codec.decode(*peer.conversation, entry.text);
  entry.plan = exec::plan(context_, request, peer.client);
  if (entry.plan.spec != nullptr && !session_.is_open(*entry.plan.spec)) return false;
  if (entry.plan.kind == Plan::Kind::kTransaction) entry.part = Entry::Part::kEnd;
  ++requests_;
  group_.push_back(entry);
  if (entry.part == Entry::Part::kEnd) {
    reply_step({}, codec, entry);
  } else {
    const bool changed = whole_changed_;
    if (entry.plan.kind == Plan::Kind::kChange) whole_changed_ = true;  // also when answer() throws
    answer(request, codec, entry);
    if (session_.must_wait()) whole_changed_ = changed;
    group_.back().outcome = entry.outcome;
    if (has_changed(entry)) has_changed_ = true;
    if (session_.must_wait() || session_.transaction_lost()) return false;
  }
  tally_.worked(peer, entry.plan, entry.outcome);
  // With changes it is better to keep a long reply than to lose the group.
  return !peer.record.is_killed() && (whole_changed_ || !peer.over_high_water());
}

// The group from `first` on is the transaction. What its finds hold is given back at once: another
// session may wait for it.
void Batch::put_whole_back(size_t first) {
  const auto begin = group_.begin() + static_cast<ptrdiff_t>(first);
  if (session_.transaction_lost() || whole_changed_) {
    apart_ = kApartAfterLoss;
    execute_group_again();
    return tally_group();
  }
  Peer& peer = *begin->peer;
  if (peer.ending == Peer::Ending::kFailed) {
    peer.output().truncate(begin->reply_begin);
  } else {
    put_back(*begin);
  }
  group_.erase(begin, group_.end());
  end_group();
}

// Its begin, and all that follows, are executed later.
void Batch::put_back(Entry& begin) {
  set_aside(begin);
  begin.peer->apart = true;
}

}  // namespace hs::server
