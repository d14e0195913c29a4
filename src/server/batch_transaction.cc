// The batch's part in transactions that clients have begun: which session a request is executed on,
// and what is settled before it waits or ends its transaction.
#include <utility>

#include "base/assert.h"
#include "base/clock.h"
#include "exec/transaction.h"
#include "server/batch.h"

namespace hs::server {
namespace {

// A commit that takes less is no reason to give the lead away.
constexpr int64_t kLongCommitNs = 100'000;
// The same of a rollback, in rows.
constexpr uint64_t kManyRows = 100;

}  // namespace

using exec::Plan;
using protocol::Request;
using protocol::Verb;
using Step = protocol::TransactionStep;

// Carries out a step of a transaction, or a request of a connection that is in one. False: it is a
// request for the batch's own session, as it may be carried out at any time.
bool Batch::transact(const Request& request, protocol::Codec& codec, Entry& entry) {
  Peer& peer = *entry.peer;
  const bool is_step = entry.plan.kind == Plan::Kind::kTransaction;
  ++requests_;
  if (peer.transaction == nullptr) {
    // The reply is final at once, so those in front of it must be.
    if (!group_.empty()) end_group();
    // One of them may have been parked, and the step is behind it.
    if (!peer.takes_requests()) return true;
    entry.reply_begin = peer.output().size();
    if (request.step == Step::kBegin) {
      begin_transaction(request, codec, entry);
    } else {
      reply_step(is_step ? ErrorCode::kNoTransaction : entry.plan.error, codec, entry);
    }
  } else if (!enter_transaction(peer)) {
    answer_lost(request, codec, entry);
  } else if (request.verb == Verb::kHello || request.verb == Verb::kDescribe ||
             request.verb == Verb::kLastGtid) {
    leave_transaction();
    --requests_;
    return false;
  } else if (is_step && (request.step == Step::kCommit || request.step == Step::kRollback)) {
    end_transaction(request, codec, entry);
  } else if (request.verb == Verb::kAuth || request.verb == Verb::kAwaitGtid ||
             (is_step && request.step == Step::kBegin)) {
    reply_step(ErrorCode::kInTransaction, codec, entry);
  } else if (entry.plan.kind == Plan::Kind::kChange && peer.transaction->reads_only()) {
    reply_step(ErrorCode::kReadOnly, codec, entry);
  } else if (is_step) {
    if (request.step != Step::kRollbackTo || may_undo(entry)) {
      // Requests that were executed again before it have overwritten the codec's memory.
      reply_step(exec::take_step(codec.decode(*peer.conversation, entry.text), *at_work_), codec,
                 entry);
      if (at_work_->transaction_lost()) lose_transaction();
    }
  } else if (!answer_in_transaction(request, codec, entry)) {
    return true;  // parked
  }
  if (peer.ending == Peer::Ending::kNone || peer.output().size() > entry.reply_begin) {
    tally_.worked(peer, entry.plan, entry.outcome);
    tally_.done(peer, entry.plan, entry.outcome);
  }
  return true;
}

void Batch::reply_step(const Result<void>& done, protocol::Codec& codec, Entry& entry) {
  protocol::ReplyWriter& reply = codec.reply_to(*entry.peer->conversation, entry.peer->output());
  if (done) return reply.ok();
  entry.outcome.error = done.error().code;
  reply.error(done.error());
}

// What the connection has done before was committed, and the transaction may need its rows. When none
// can be begun, the connection is as one whose transaction is lost. Else what the client has sent
// behind it would be carried out, each request for itself.
void Batch::begin_transaction(const Request& request, protocol::Codec& codec, Entry& entry) {
  Peer& peer = *entry.peer;
  if (entry.plan.kind == Plan::Kind::kRefused && entry.plan.error == ErrorCode::kUnauthorized) {
    return reply_step(entry.plan.error, codec, entry);
  }
  if (transactions_ == nullptr) return reply_step(ErrorCode::kNotImplemented, codec, entry);
  Result<void> begun = entry.plan.kind == Plan::Kind::kRefused ? Result<void>(entry.plan.error)
                                                               : begin_transaction(request, peer);
  if (!begun) {
    if (entered_ != nullptr) leave_transaction();
    peer.transaction = transactions_->none();
  }
  reply_step(begun, codec, entry);
}

Result<void> Batch::begin_transaction(const Request& request, Peer& peer) {
  Result<std::unique_ptr<Transaction>> made = transactions_->begin(request.reads_only);
  if (!made) return std::move(made.error());
  peer.transaction = std::move(*made);
  if (!enter_transaction(peer)) return ErrorCode::kTransactionLost;
  at_work_->act_for(peer.client.account().get());
  return exec::take_step(request, *at_work_);
}

void Batch::end_transaction(const Request& request, protocol::Codec& codec, Entry& entry) {
  Peer& peer = *entry.peer;
  const bool commits = request.step == Step::kCommit;
  const bool waits = commits && at_work_->has_uncommitted_changes();
  if (waits && !end_group_before(entry, transactions_->commit_ns() >= kLongCommitNs)) return;
  if (!commits && !may_undo(entry)) return;
  const int64_t begin_ns = waits ? monotonic_ns() : 0;
  const Result<void> done = exec::take_step(request, *at_work_);
  if (waits) transactions_->note_commit(monotonic_ns() - begin_ns);
  if (!done) at_work_->rollback();
  if (commits && done) {
    const engine::Gtid gtid = at_work_->last_gtid();
    if (!gtid.empty()) peer.client.set_last_gtid(gtid);
  }
  take_own_session();
  const std::unique_ptr<Transaction> ended = std::move(peer.transaction);
  ended->end(commits && done);
  reply_step(done, codec, entry);
}

// Before a commit, which waits, or before what `takes_long`. False: the connection ends.
bool Batch::end_group_before(Entry& entry, bool takes_long) {
  Peer& peer = *entry.peer;
  if (!group_.empty()) {
    end_own_group(false);
    if (peer.ending != Peer::Ending::kNone) return false;
    entry.reply_begin = peer.output().size();
  }
  if (outlet_ != nullptr && takes_long) {
    // Neither a commit nor a rollback is interrupted.
    if (took_long_) end_interruptible();
    outlet_->make_way();
  }
  return true;
}

// Before a rollback, or one to a savepoint. False: the connection ends.
bool Batch::may_undo(Entry& entry) {
  return entry.peer->transaction->changed_rows() < kManyRows || end_group_before(entry, true);
}

// The client must end what is lost before it goes on.
void Batch::answer_lost(const Request& request, protocol::Codec& codec, Entry& entry) {
  const bool is_step = entry.plan.kind == Plan::Kind::kTransaction;
  const bool rolls_back = is_step && request.step == Step::kRollback;
  // The request may have been parked until the transaction was lost.
  entry.peer->waits_since_ms = 0;
  if (rolls_back || (is_step && request.step == Step::kCommit)) entry.peer->transaction.reset();
  reply_step(rolls_back ? Result<void>() : Result<void>(ErrorCode::kTransactionLost), codec, entry);
}

// False: the request was parked, or the connection ends without a reply.
bool Batch::answer_in_transaction(const Request& request, protocol::Codec& codec, Entry& entry) {
  Peer& peer = *entry.peer;
  if (entry.plan.kind == Plan::Kind::kConnection) tally_.count_use();  // it may close an index
  const bool tries = at_work_->may_try() || entry.plan.kind == Plan::Kind::kRefused;
  if (tries) answer(request, codec, entry);
  if (!tries || (at_work_->must_wait() && !at_work_->transaction_lost())) {
    peer.output().truncate(entry.reply_begin);
    end_own_group(true);
    if (peer.ending != Peer::Ending::kNone) return false;
    entry.reply_begin = peer.output().size();
    if (!answer_or_park(entry)) return false;
  }
  if (entry.plan.kind == Plan::Kind::kChange) peer.transaction->note_changed(entry.outcome.rows);
  if (at_work_->transaction_lost()) lose_transaction();
  return true;
}

// --- sessions ---

// False: the transaction is lost.
bool Batch::enter_transaction(Peer& peer) {
  if (entered_ == nullptr) {
    engine::Session* const session = peer.transaction->enter(session_events());
    if (session == nullptr) return false;
    take_session_of(peer, *session);
  }
  HS_ASSERT(entered_ == &peer);
  if (!at_work_->transaction_lost()) return true;
  lose_transaction();  // it was killed since
  return false;
}

void Batch::lose_transaction() {
  Peer& peer = *entered_;
  take_own_session();
  peer.transaction->lose();
}

void Batch::leave_transaction() {
  Peer& peer = *entered_;
  take_own_session();
  peer.transaction->leave(peer.parked);
}

engine::SessionEvents Batch::session_events() const {
  return outlet_ != nullptr ? outlet_->session_events() : engine::SessionEvents{};
}

// The session of that client's transaction is at work. It is in the thread already.
void Batch::take_session_of(Peer& peer, engine::Session& session) {
  entered_ = &peer;
  at_work_ = &session;
  scratch_.acts_for_account = true;  // that it does not is known of the session that was at work
  if (outlet_ != nullptr) outlet_->work_with(&session);
}

// The batch's own session is at work again. Returns the one that was, which is still in the thread.
engine::Session* Batch::take_own_session() {
  if (outlet_ != nullptr) outlet_->work_with(nullptr);
  entered_ = nullptr;
  scratch_.acts_for_account = true;  // see take_session_of()
  return std::exchange(at_work_, &session_);
}

// Before the transaction waits: commits the group, since other sessions may wait for its rows, this
// transaction among them. Before it `waits_long`, the batch's own session gives back its tables, too.
void Batch::end_own_group(bool waits_long) {
  Peer* const peer = entered_;
  engine::Session* const session = take_own_session();
  session->leave();
  end_group();
  if (waits_long) session_.release();
  session->enter(session_events());
  take_session_of(*peer, *session);
}

}  // namespace hs::server
