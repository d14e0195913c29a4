#include "server/batch.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "exec/auth.h"
#include "protocol/handlersocket/foreign.h"
#include "protocol/handlersocket/framing.h"

namespace hs::server {
namespace {

// A shorter one is parsed in a moment.
constexpr size_t kLongLine = 64u << 10;

bool takes_requests(const Peer& peer) { return peer.ending == Peer::Ending::kNone && !peer.parked; }

}  // namespace

using protocol::Request;
using protocol::Verb;
using protocol::handlersocket::Foreign;
using protocol::handlersocket::Frame;
using protocol::handlersocket::next_line;

Batch::Batch(const exec::Context& context, engine::Session& session, Counters& counters,
             Outlet* outlet)
    : context_(context), session_(session), counters_(counters), outlet_(outlet) {
  make_encoder();
  exec::Meter::Options meter;
  if (outlet != nullptr) {
    meter.on_long_request = [outlet, &session] {
      session.takes_long();
      outlet->step_aside();
    };
  }
  meter.batch_ns = writes() ? kWriteNs : kReadNs;
  meter.now_ns = context.now_ns;
  scratch_.meter = exec::Meter(std::move(meter));
  entries_.reserve(kMaxRequests);
  peers_.reserve(kMaxRequests);
}

void Batch::make_encoder() {
  ReplyStream& stream = *this;
  encoder_.emplace(context_.limits.max_reply_size, &stream);
}

void Batch::run(Peer& peer) {
  peers_.push_back(&peer);
  peer.may_have_more = false;
  peer.parked = false;
  current_ = &peer;
  run_lines(peer);
  current_ = nullptr;
}

void Batch::run_lines(Peer& peer) {
  while (takes_requests(peer)) {
    if (has_enough() || peer.over_high_water()) {
      peer.may_have_more = true;
      return;
    }
    const std::string_view unread = peer.input().view().substr(peer.used);
    const Frame frame = next_line(unread, peer.searched, longest_line(peer));
    switch (frame.state) {
      case Frame::State::kLine:
        peer.used += frame.consumed;
        peer.searched = 0;
        execute(peer, frame.line);
        break;
      case Frame::State::kIncomplete:
        peer.searched = unread.size();
        if (!peer.input_refused()) return;
        peer.ending = Peer::Ending::kMaxMemory;
        break;
      case Frame::State::kTooLong:
        peer.ending = Peer::Ending::kRequestTooLong;
        break;
    }
  }
}

size_t Batch::longest_line(Peer& peer) const {
  const bool known = exec::is_known(context_, peer.client);
  peer.set_known(known);
  const size_t most = context_.limits.max_request_size;
  return known ? most : std::min(most, kMaxStrangersRequest);
}

void Batch::execute(Peer& peer, std::string_view line) {
  Entry entry{&peer, line, peer.output().size()};
  bool in_group = true;
  try {
    scratch_.meter.begin_request();
    if (line.size() >= kLongLine) scratch_.meter.expect(line.size() / exec::Meter::kBytesPerUnit);
    Request request = parser_.parse(line);
    if (request.verb == Verb::kInvalid && turn_away(peer, line)) return;
    peer.has_spoken = true;
    in_group = request.verb != Verb::kOpen && request.verb != Verb::kAuth;
    const engine::IndexSpecPtr* spec = writes() && in_group ? spec_of(request, peer) : nullptr;
    const bool must_open = spec != nullptr && !session_.is_open(*spec);
    const bool changes = request.verb == Verb::kInsert || request.verb == Verb::kModify;
    const auto is_final = [&] { return changes && spec != nullptr && !session_.can_undo(*spec); };
    if (!in_group || (must_open && session_.has_uncommitted_changes()) || is_final()) {
      commit_group();
      if (!takes_requests(peer)) return;
      // Requests that were executed again have used the parser's memory.
      request = parser_.parse(line);
      entry.reply_begin = peer.output().size();
    }
    entries_.push_back(entry);
    answer(request, entry);
    if (session_.must_wait() && !session_.transaction_lost()) {
      // Others may wait for what the group has locked, so that comes to its end first.
      entry.peer->output().truncate(entry.reply_begin);
      entries_.pop_back();
      commit(group());
      group_begin_ = entries_.size();
      if (!takes_requests(peer)) return;
      entry.reply_begin = entry.peer->output().size();
      if (!answer_or_park(entry)) return;
      entries_.push_back(entry);
    }
    // Whether it can be undone is known for sure only when its table is open.
    if (is_final()) in_group = false;
  } catch (...) {
    give_up(entry);
  }
  if (!streams_) reply_bytes_ += peer.output().size() - entry.reply_begin;
  if (writes() && session_.transaction_lost()) {
    if (in_group) {
      execute_group_again();
    } else {
      session_.rollback();
    }
  }
  if (in_group) return;
  // It is committed for itself: later requests find no transaction without a group.
  if (session_.has_uncommitted_changes() && !entries_.empty()) {
    group_begin_ = entries_.size() - 1;
    commit(group());
  }
  group_begin_ = entries_.size();
}

// True: it gets its earlier replies, and the end.
bool Batch::turn_away(Peer& peer, std::string_view line) {
  const Foreign found = protocol::handlersocket::foreign(line);
  if (found == Foreign::kNo || (found == Foreign::kGreeting && peer.has_spoken)) return false;
  peer.ending = Peer::Ending::kForeign;
  met_foreigner_ = true;
  counters_.foreigners.add(1);
  return true;
}

const engine::IndexSpecPtr* Batch::spec_of(const Request& request, const Peer& peer) const {
  return request.verb == Verb::kInvalid ? nullptr : peer.client.find(request.index_id);
}

void Batch::answer(const Request& request, const Entry& entry) {
  // What was done must not be lost for want of room to say so.
  constexpr size_t kShortReply = 64;
  streams_ = false;
  entry.peer->output().reserve(kShortReply);
  encoder_->set_target(entry.peer->output());
  exec::execute(context_, request, entry.peer->client, session_, scratch_, *encoder_);
  if (!session_.must_wait()) entry.peer->waits_since_ms = 0;
}

// Of a request that must wait, with nothing uncommitted. False: it was parked.
bool Batch::answer_or_park(Entry& entry) {
  Peer& peer = *entry.peer;
  const uint32_t patience_ms = session_.patience_ms();
  const int64_t waited_ms = peer.waits_since_ms == 0 ? 0 : monotonic_ms() - peer.waits_since_ms;
  if (waited_ms >= patience_ms) {
    // The last try: its error stands.
    answer_waiting(entry, 0);
    return true;
  }
  if (outlet_ != nullptr && !outlet_->begin_wait()) {
    park(entry);
    return false;
  }
  struct Wait {
    Outlet* outlet;
    ~Wait() {
      if (outlet != nullptr) outlet->end_wait();
    }
  } const wait{outlet_};
  answer_waiting(entry, patience_ms - static_cast<uint32_t>(waited_ms));
  return true;
}

void Batch::answer_waiting(Entry& entry, uint32_t most_ms) {
  struct Waiting {
    engine::Session& session;
    ~Waiting() { session.end_waiting(); }
  } const waiting{session_};
  session_.begin_waiting(most_ms);
  answer(parser_.parse(entry.line), entry);
}

// The line and all that follows it stay in the input, as if they had not been looked at.
void Batch::park(Entry& entry) {
  Peer& peer = *entry.peer;
  peer.output().truncate(entry.reply_begin);
  peer.used = static_cast<size_t>(entry.line.data() - peer.input().data());
  peer.searched = 0;
  peer.may_have_more = peer.parked = true;
  peer.ending = Peer::Ending::kNone;
  if (peer.waits_since_ms == 0) peer.waits_since_ms = monotonic_ms();
  entry.peer = nullptr;
}

void Batch::execute_group_again() {
  session_.rollback();
  take_replies_back(group());
  for (Entry& entry : group()) {
    if (entry.peer->ending == Peer::Ending::kFailed) continue;
    if (entry.peer->parked) {
      entry.peer = nullptr;  // behind the line that is parked
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
      answer(parser_.parse(entry.line), entry);
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
  // Each of several may succeed alone.
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
    encoder_->set_target(entry.peer->output());
    encoder_->error(error);
  } catch (...) {
    give_up(entry);
  }
}

// Out of memory even for an error reply: a reply that is missing would make the client take the
// next one for it, so the connection ends here.
void Batch::give_up(Entry& entry) {
  entry.peer->ending = streams_ ? Peer::Ending::kAbandoned : Peer::Ending::kFailed;
  out_of_memory_ = true;
  if (!streams_) entry.peer->output().truncate(entry.reply_begin);
  make_encoder();  // forgets a reply that it had begun
}

// On the write port the replies before it may wait for a commit.
bool Batch::may_stream() const { return outlet_ != nullptr && !writes(); }

// Where its replies began in the output means nothing from here on.
void Batch::begin() {
  streams_ = true;
  current_->is_slow = false;
  for (Entry& entry : entries_) {
    if (entry.peer != current_) continue;
    count(entry);
    entry.peer = nullptr;
  }
}

bool Batch::send() { return outlet_->send(*current_); }

void Batch::fail() { current_->ending = Peer::Ending::kAbandoned; }

void Batch::finish() {
  if (!entries_.empty()) {
    if (writes()) commit(group());
    counters_.batches.add(1);
    counters_.requests.add(entries_.size() - parked_);
  }
  for (const Entry& entry : entries_) count(entry);
  for (Peer* peer : peers_) finish(*peer);
}

void Batch::finish(Peer& peer) {
  peer.input().consume(peer.used);
  peer.used = 0;
  if (peer.input().empty()) peer.input().shrink(net::kBusyBuffer);
  ErrorCode last_words;
  if (peer.ending == Peer::Ending::kRequestTooLong) {
    last_words = ErrorCode::kRequestTooLong;
  } else if (peer.ending == Peer::Ending::kMaxMemory) {
    last_words = ErrorCode::kMaxMemory;
  } else {
    return;
  }
  Entry unexecuted{&peer, {}, 0};
  reply_error(unexecuted, Error{last_words, 0, {}});
  counters_.errors.add(1);
}

void Batch::count(const Entry& entry) {
  if (entry.peer == nullptr) return;
  const std::string_view replies = entry.peer->output().view();
  if (entry.reply_begin < replies.size() && replies[entry.reply_begin] != '0') {
    counters_.errors.add(1);
  }
}

void Batch::abandon() {
  session_.rollback();
  for (Peer* peer : peers_) {
    peer->used = 0;
    peer->ending = Peer::Ending::kAbandoned;
  }
}

void Batch::mark_unfinished() {
  for (Peer* peer : peers_) peer->unfinished = peer->ending != Peer::Ending::kNone;
  if (current_ != nullptr) current_->unfinished = true;
  // What has only read is final as soon as it is answered.
  if (writes()) {
    for (const Entry& entry : group()) entry.peer->unfinished = true;
  }
  for (Entry& entry : entries_) {
    if (entry.peer == nullptr || entry.peer->unfinished) continue;
    count(entry);
    entry.peer = nullptr;
  }
}

void Batch::clear() {
  const bool has_read = !writes() && !entries_.empty();
  peers_.clear();
  entries_.clear();
  // What has only read is final before its end, so nobody's answer waits for that. Nor may who
  // takes the lead meanwhile find peers here that were settled.
  if (has_read) (void)session_.commit();
  group_begin_ = parked_ = 0;
  reply_bytes_ = 0;
  current_ = nullptr;
  streams_ = false;
  out_of_memory_ = false;
  met_foreigner_ = false;
  scratch_.meter.begin_batch();
}

}  // namespace hs::server
