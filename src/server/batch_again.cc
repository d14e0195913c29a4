// A group that was undone: its requests are executed again, each alone, or are refused.
#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "server/batch.h"

namespace hs::server {

using protocol::Request;
using protocol::Verb;

void Batch::answer_again(Entry& entry) {
  Peer& peer = *entry.peer;
  protocol::Codec& codec = codec_of(peer);
  const Request request = codec.decode(*peer.conversation, entry.text);
  if (request.verb == Verb::kCommand) entry.plan = plan(request, peer);
  answer(request, codec, entry);
}

void Batch::execute_group_again() {
  session_.rollback();
  take_replies_back(group_);
  for (Entry& entry : group_) {
    if (entry.peer->ending == Peer::Ending::kFailed) {
      entry.peer = nullptr;  // what it did is undone, and its client gets no answer
      continue;
    }
    if (entry.peer->is_set_aside(entry.text)) {
      entry.peer = nullptr;  // the message follows one that is parked or put back
      continue;
    }
    counters_.retries.add(1);
    if (entry.part != Entry::Part::kNone) {
      entry.reply_begin = entry.peer->output().size();
      put_back(entry);
      entry.peer = nullptr;
      continue;
    }
    execute_alone(entry);
    make_final(entry);  // its reply waits for no later one
  }
}

void Batch::execute_alone(Entry& entry) {
  Buffer& output = entry.peer->output();
  entry.reply_begin = output.size();
  const int64_t begin_ms = monotonic_ms();
  for (int attempt = 1;; ++attempt) {
    Result<void> committed;
    try {
      answer_again(entry);
      if (session_.must_wait() && !entry.outcome.keeps_changes) {
        output.truncate(entry.reply_begin);
        session_.rollback();
        if (!answer_or_park(entry)) return;
      }
    } catch (...) {
      give_up(entry);
      // How far a command has come is not known.
      entry.outcome = {.error = {}, .rows = 0, .must_undo = true};
    }
    const bool stands =
        entry.outcome.must_undo && (entry.outcome.keeps_changes || !session_.transaction_lost());
    if (stands) {
      session_.rollback();
      tally_.worked(*entry.peer, entry.plan, entry.outcome);
      return;  // its error stands
    }
    if (!session_.transaction_lost()) {
      committed = commit({&entry, 1});
      if (committed || !session_.gave_way()) {
        tally_.worked(*entry.peer, entry.plan, entry.outcome);
        if (!committed) refuse({&entry, 1}, committed.error());
        return;
      }
    }
    session_.rollback();
    // Clients that know keys see no locks, so no deadlock either: those that make a row lock the gap
    // for it first, and meet there.
    const bool is_patient = session_.gave_way() || entry.plan.is_command;
    const bool is_last = entry.outcome.keeps_changes ||
                         (attempt >= kAttemptsAlone &&
                          !(is_patient && monotonic_ms() - begin_ms < session_.patience_ms()));
    if (is_last) {
      if (!committed) refuse({&entry, 1}, committed.error());
      return;
    }
    output.truncate(entry.reply_begin);
    if (attempt >= kAttemptsAlone) step_back(attempt - kAttemptsAlone);
  }
}

// Those that have lost their transactions to one another come back at different times. Else one of them always
// holds what the others wait for, and none gets through.
void Batch::step_back(int times_before) {
  constexpr int kMostDoublings = 6;
  const int64_t most_ns = int64_t{1'000'000} << std::min(times_before, kMostDoublings);
  if (outlet_ != nullptr) outlet_->make_way();
  // The last digits of the clock are chance enough.
  constexpr uint64_t kSpread = 0x9e3779b97f4a7c15u;
  const auto chance = static_cast<int64_t>((static_cast<uint64_t>(monotonic_ns()) * kSpread) >> 32);
  std::this_thread::sleep_for(std::chrono::nanoseconds(chance % most_ns));
}

// The group was not committed, or nobody can tell: an error would say that nothing was done, so its
// connections end without a reply.
void Batch::refuse(std::span<Entry> group, const Error& error) {
  const bool is_unknown = session_.is_outcome_unknown();
  lost_outcome_ |= is_unknown;
  session_.rollback();
  take_replies_back(group);
  for (Entry& entry : group) {
    entry.outcome = {.error = error.code};
    if (is_unknown) {
      entry.peer->ending = Peer::Ending::kAbandoned;
    } else if (entry.peer->ending != Peer::Ending::kFailed) {
      reply_error(entry, error);
    }
  }
}

void Batch::take_replies_back(std::span<const Entry> group) {
  for (auto entry = group.rbegin(); entry != group.rend(); ++entry) {
    Buffer& output = entry->peer->output();
    if (output.size() > entry->reply_begin) output.truncate(entry->reply_begin);
  }
}

void Batch::reply_error(Entry& entry, const Error& error) {
  Peer& peer = *entry.peer;
  entry.reply_begin = peer.output().size();
  try {
    protocol::Codec& codec = codec_of(peer);
    // What a command's error looks like depends on the command.
    if (entry.plan.is_command) (void)codec.decode(*peer.conversation, entry.text);
    codec.reply_to(*peer.conversation, peer.output()).error(error);
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

}  // namespace hs::server
