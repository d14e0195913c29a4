// Requests of many connections that are executed together and committed once, before any of their
// replies is sent.
//
//   run(peer) ...  ->  finish()  ->  send the output() of the peers  ->  clear()
//
// A group is the requests since the last commit, which will be committed together. Nearly always
// the batch is one group. Until its commit a group can be taken back: its messages are still in the
// peers' input(), and its replies are still unsent in their output().
//
//   * The commit fails: each reply of the group is replaced by the error.
//   * A request loses the transaction (deadlock): everything in the group is undone, so each of its
//     requests is executed again, alone, with a commit of its own.
//   * A request's table must be opened first, which may mean to wait for it: the group before the
//     request is committed, so that it holds no row locks meanwhile.
//   * A request changes a table whose engine cannot undo it: it is in no group, but final at once
//     and committed for itself. So no change is uncommitted while the group is empty.
//   * A request belongs to a transaction that its client has begun (server/transactions.h). It is
//     executed on the transaction's own session, and is in no group: its reply is final at once.
//     But a transaction of which all messages are there is executed with the group.
//   * A request opens an index or authenticates: it changes the client, which no rollback undoes.
//     It is in no group, and the group before it is committed first.
//   * A command of several requests is one message and one reply. If it fails in the middle, or must
//     wait there, everything in the group is undone and executed again, as after a deadlock.
//
// Does no I/O and has no thread of its own. Used by one thread at a time, that of the session. Only
// split() may be called by another thread, while the session's thread waits inside the session. Between
// run() and clear() nothing else may touch input() and output() of the peers, or close them.
//
// Nothing is held while a request waits for a lock (of a row, a table or its definition). A request
// that must wait is undone, and the group before it is committed. Then the request is executed
// again and waits inside the engine, if the outlet allows one more thread to wait. Otherwise it is
// parked: its message and what follows stay in the peer's input, and a later batch tries it again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "exec/execute.h"
#include "exec/meter.h"
#include "protocol/codec.h"
#include "server/counters.h"
#include "server/peer.h"
#include "server/slow_log.h"
#include "server/tally.h"

namespace hs::server {

// What a batch needs from the reactor while one of its requests takes long.
class Outlet {
 public:
  virtual ~Outlet() = default;
  // Gives the lead away, so that the reactor's other connections are served. Does not throw. From
  // here on the request of `peer` (null: that of an earlier one) can be interrupted, until
  // end_interruptible().
  virtual void step_aside(Peer* peer) = 0;
  virtual void end_interruptible() = 0;
  // Gives the lead away and sends what the client takes of output(). False: the client has gone.
  virtual bool send(Peer& peer) = 0;
  // Whether one more thread may wait for a lock inside the engine. True: it must call end_wait()
  // afterwards, and the request of `peer` can be interrupted until then.
  virtual bool begin_wait(Peer& peer) = 0;
  virtual void end_wait() = 0;

  // How the session of a transaction reaches this thread.
  virtual engine::SessionEvents session_events() { return {}; }
  // From here on this session works, which has entered the thread; null: the batch's own.
  virtual void work_with(engine::Session* /*session*/) {}
  // Gives the lead away if other connections may want it, since what follows takes long.
  virtual void make_way() {}
};

class Batch {
 public:
  // A batch is full when it has this many requests, connections, or bytes of replies, ...
  static constexpr size_t kMaxRequests = 1024;
  static constexpr size_t kMaxReplyBytes = 1u << 20;
  // ... or has worked for this long: replies wait for its end, and other sessions for its row
  // locks.
  static constexpr int64_t kReadNs = 5'000'000;
  static constexpr int64_t kWriteNs = 10'000'000;
  // How often a request is tried alone before its own error reply stands.
  static constexpr int kAttemptsAlone = 3;
  // A transaction of more messages is not executed as a whole.
  static constexpr size_t kMostParts = 32;

  // All arguments must outlive the batch. `protocols`: those of most peers. Without an outlet every
  // reply is kept until the end, and every request may wait inside the engine. `slow_log`: null:
  // there is none. `transactions`: null: none can be begun.
  Batch(const exec::Context& context, std::span<const protocol::Protocol* const> protocols,
        engine::Session& session, Counters& counters, Outlet* outlet = nullptr,
        SlowLog* slow_log = nullptr, Transactions* transactions = nullptr);
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  // To be called between batches when the limits of the context have changed.
  void take_limits();

  // Executes the complete messages in the peer's input, in order. Stops when
  //   * there is none left, or peer.ending is set, or
  //   * the batch is full, the output is over the high water mark, or the next request is parked or
  //     waits for something outside of any thread (peer.logs_in, awaits_...): then peer.may_have_more is true.
  // At most once for each peer in one batch.
  void run(Peer& peer);

  bool full() const { return has_enough() || peers_.size() >= kMaxRequests; }

  // To be called when a call on the session does as much work as going to `rows` rows takes.
  void works(uint32_t rows) { meter_.add(rows * exec::Meter::kRow); }

  // Commits the changes. Afterwards the replies in the peers' output() are final, and the requests
  // are gone from their input().
  void finish();

  // Instead of finish(), after run() or finish() threw. It is not known how far the batch came, so
  // no client gets an answer, which might be wrong. Undoes what is not committed. The peers are
  // kAbandoned.
  void abandon();

  // To be called while the batch's own thread waits inside the session, or by that thread. A peer whose replies are
  // final goes to `final`, in the state in which finish() leaves it. The others remain in peers(),
  // and `keep` is called with each of them.
  template <class Keep>
  void split(Queue& final, Keep keep) {
    mark_unfinished();
    std::erase_if(peers_, [&](Peer* peer) {
      if (peer->unfinished) {
        keep(*peer);
        return false;
      }
      finish(*peer);
      final.push_back(*peer);
      return true;
    });
  }

  // To be called when the replies were sent, or given to the thread that sends them. Counts how long
  // the requests took.
  void replies_are_out() { tally_.replies_are_out(); }

  // Which executes the present request: the batch's own, or that of a transaction.
  const engine::Session& session_at_work() const { return *at_work_; }

  // True when a request of the batch could not be answered for lack of memory.
  bool out_of_memory() const { return out_of_memory_; }
  // True when it is not known whether a commit was done: its peers are kAbandoned.
  bool lost_outcome() const { return lost_outcome_; }
  // True when a client spoke another protocol: its peer is kForeign.
  bool met_foreigner() const { return met_foreigner_; }

  // The peers that run() was called with and that were not split off, until clear().
  std::span<Peer* const> peers() const { return peers_; }
  // Ends what was only read, and forgets the requests and peers.
  void clear();

 private:
  // One request of the group.
  struct Entry {
    Peer* peer;  // null: the request was parked or undone, or executed again and is final
    std::string_view text;  // the message, in the peer's input
    size_t reply_begin;     // in the peer's output
    exec::Plan plan{};
    exec::Outcome outcome{};  // what the reply tells
    // Of a transaction that is executed as a whole with the group.
    enum class Part : uint8_t { kNone, kBegin, kMiddle, kEnd };
    Part part = Part::kNone;
  };
  // What follows the begin of such a transaction.
  struct Part {
    std::string_view text;  // the message, in the peer's input
    size_t consumed;
    const engine::IndexSpecPtr* spec;
    bool changes;
  };
  struct Format {
    const protocol::Protocol* protocol;
    std::unique_ptr<protocol::Codec> codec;
  };
  // Sends the reply of the current request in pieces.
  class Stream final : public protocol::ReplyStream {
   public:
    explicit Stream(Batch& batch) : batch_(batch) {}
    // On the write port earlier replies may wait for a commit.
    bool may_stream() const override { return batch_.outlet_ != nullptr && !batch_.writes(); }
    void begin() override { batch_.begin_stream(); }
    bool send() override {
      batch_.took_long_ = true;
      return batch_.outlet_->send(*batch_.current_);
    }
    void fail() override { batch_.current_->ending = Peer::Ending::kAbandoned; }

   private:
    Batch& batch_;
  };

  // On the read port nothing is committed, undone or executed again, so there is no group.
  bool writes() const { return context_.mode == engine::Mode::kReadWrite; }
  bool has_enough() const {
    return requests_ >= kMaxRequests || reply_bytes_ >= kMaxReplyBytes || meter_.batch_is_over();
  }
  static bool has_changed(const Entry& entry) {
    return entry.plan.kind == exec::Plan::Kind::kChange && entry.outcome.rows != 0;
  }
  // Of all that the request works on.
  template <class Holds>
  static bool all_of_specs(const exec::Plan& plan, const Peer& peer, Holds holds) {
    if (!plan.is_command) return holds(*plan.spec);
    return std::ranges::all_of(peer.client.tables().bound(),
                               [&](const auto& bound) { return holds(*bound.spec); });
  }
  void run_messages(Peer& peer, protocol::Codec& codec);
  size_t longest_message(Peer& peer) const;
  bool execute(Peer& peer, protocol::Codec& codec, std::string_view text);
  void settle(Peer& peer);
  void end_request(const Entry& entry, bool alone);
  void turn_away(Peer& peer);
  bool ends_group(const exec::Plan& plan, const Peer& peer) const;
  bool is_final(const exec::Plan& plan, const Peer& peer) const;
  exec::Plan plan(const protocol::Request& request, Peer& peer) const {
    return exec::plan(context_, request, peer.client);
  }
  protocol::Codec& codec_of(const Peer& peer);
  void answer(const protocol::Request& request, protocol::Codec& codec, Entry& entry);
  Result<void> commit(std::span<Entry> group);
  void note_gtid(std::span<Entry> group);
  void end_group();
  void tally_group();
  void make_final(Entry& entry);
  void end_interruptible();
  void mark_unfinished();
  void finish(Peer& peer);
  void begin_stream();

  // batch_again.cc
  void answer_again(Entry& entry);
  void execute_group_again();
  void execute_alone(Entry& entry);
  void step_back(int times_before);
  void refuse(std::span<Entry> group, const Error& error);
  void take_replies_back(std::span<const Entry> group);
  void reply_error(Entry& entry, const Error& error);
  void give_up(Entry& entry);

  // batch_waits.cc
  bool answer_or_park(Entry& entry);
  void answer_waiting(Entry& entry, uint32_t most_ms);
  static void set_aside(Entry& entry);
  bool waits_for_gtid(const protocol::Request& request, Entry& entry);
  bool waits_for_login(const protocol::Request& request, Entry& entry);
  void park(Entry& entry);

  // batch_transaction.cc
  bool transact(const protocol::Request& request, protocol::Codec& codec, Entry& entry);
  void begin_transaction(const protocol::Request& request, protocol::Codec& codec, Entry& entry);
  Result<void> begin_transaction(const protocol::Request& request, Peer& peer);
  bool end_group_before(Entry& entry, bool takes_long);
  bool may_undo(Entry& entry);
  void end_transaction(const protocol::Request& request, protocol::Codec& codec, Entry& entry);
  bool answer_in_transaction(const protocol::Request& request, protocol::Codec& codec,
                             Entry& entry);
  void answer_lost(const protocol::Request& request, protocol::Codec& codec, Entry& entry);
  void reply_step(const Result<void>& done, protocol::Codec& codec, Entry& entry);
  bool enter_transaction(Peer& peer);
  void leave_transaction();
  void lose_transaction();
  engine::SessionEvents session_events() const;
  void take_session_of(Peer& peer, engine::Session& session);
  engine::Session* take_own_session();
  void end_own_group(bool waits_long);

  // batch_whole.cc
  bool may_be_whole(const protocol::Request& request, const Entry& entry) const;
  bool execute_whole(protocol::Codec& codec, Entry& entry);
  bool find_whole(Peer& peer, protocol::Codec& codec);
  bool open_whole(Peer& peer);
  bool execute_parts(protocol::Codec& codec, const Entry& begin);
  bool execute_part(protocol::Codec& codec, Entry& entry);
  void put_whole_back(size_t first);
  static void put_back(Entry& begin);

  const exec::Context& context_;
  engine::Session& session_;
  engine::Session* at_work_ = &session_;  // executes the present request
  Transactions* const transactions_;
  Counters& counters_;
  Outlet* const outlet_;
  Tally tally_;
  Stream stream_{*this};
  std::vector<Format> formats_;
  exec::Meter meter_;
  exec::Scratch scratch_{meter_};

  std::vector<Peer*> peers_;
  std::vector<Entry> group_;
  std::vector<Part> whole_;
  bool whole_changed_ = false;  // what is executed of whole_ may have changed something
  uint32_t apart_ = 0;          // so many whole transactions are executed on sessions of their own
  size_t requests_ = 0;         // that were executed
  size_t reply_bytes_ = 0;      // of their replies
  Peer* current_ = nullptr;     // the peer of run()
  Peer* entered_ = nullptr;     // whose transaction's session is in the thread, and at work
  Peer* answering_ = nullptr;   // whose request was executed last
  bool has_changed_ = false;    // the peer of run() has, since the last commit
  bool took_long_ = false;      // a request did, and the lead was given away
  bool streams_ = false;        // the reply of the current request is streamed
  bool out_of_memory_ = false;
  bool lost_outcome_ = false;
  bool met_foreigner_ = false;
};

}  // namespace hs::server
