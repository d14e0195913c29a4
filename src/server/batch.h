// Requests of many connections that are executed together and committed once, before any of their
// replies is sent.
//
//   run(peer) ...  ->  finish()  ->  send what is in the peers' output()  ->  clear()
//
// A group is what will be committed together: the requests since the last commit. Nearly always the
// batch is one group. Until its commit a group can be taken back: its lines stay in the peers'
// input() and its replies are still unsent in their output().
//
//   * The commit fails: each reply of the group is replaced by the error.
//   * A request loses the transaction (deadlock): everything of the group is undone, so each of its
//     requests is executed again, alone, with a commit of its own.
//   * A request whose table must be opened first may have to wait for it; so that it does not hold
//   row
//     locks meanwhile, the group before it is committed.
//   * A change of a table whose engine cannot undo it is no part of a group: it is final at once.
//   * Opening an index and authenticating change the client and are not undone by a rollback: the
//     group before them is committed first, and they belong to none.
//
// Does no I/O and has no thread of its own: one thread at a time, that of the session. Between
// run() and clear() nobody else may touch input() and output() of the peers, nor close them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/port.h"
#include "exec/execute.h"
#include "protocol/handlersocket/parser.h"
#include "protocol/handlersocket/reply_encoder.h"
#include "server/counters.h"
#include "server/peer.h"

namespace hs::server {

class Batch {
 public:
  // A batch is full when it has so many requests, or bytes of replies.
  static constexpr size_t kMaxRequests = 1024;
  static constexpr size_t kMaxReplyBytes = 1u << 20;
  // How often a request is tried alone before its own error reply stands.
  static constexpr int kAttemptsAlone = 3;

  // All must outlive the batch.
  Batch(const exec::Context& context, engine::Session& session, Counters& counters);

  // Executes the complete lines in the peer's input, in order, until there is none left, the batch
  // is full, or the peer is over its output's high water mark; in the two latter cases sets
  // peer.may_have_more. At most once for each peer in one batch.
  void run(Peer& peer);

  bool full() const { return entries_.size() >= kMaxRequests || reply_bytes_ >= kMaxReplyBytes; }

  // Commits. The replies that are in the output() of the peers afterwards are final; the requests
  // are gone from their input().
  void finish();

  // The peers of run(), until clear().
  std::span<Peer* const> peers() const { return peers_; }
  void clear();

 private:
  struct Entry {
    Peer* peer;
    std::string_view line;
    size_t reply_begin;  // in the peer's output
  };

  void execute(Peer& peer, std::string_view line);
  const engine::IndexSpecPtr* spec_of(const protocol::Request& request, const Peer& peer) const;
  void answer(const protocol::Request& request, const Entry& entry);
  void execute_group_again();
  void execute_alone(Entry& entry);
  void commit(std::span<Entry> group);
  void commit_group();
  void take_replies_back(std::span<const Entry> group);
  void reply_error(Entry& entry, const Error& error);
  void give_up(Entry& entry);
  std::span<Entry> group() { return std::span(entries_).subspan(group_begin_); }

  const exec::Context& context_;
  engine::Session& session_;
  Counters& counters_;
  protocol::handlersocket::Parser parser_;
  std::optional<protocol::handlersocket::ReplyEncoder> encoder_;

  std::vector<Peer*> peers_;
  std::vector<Entry> entries_;
  size_t group_begin_ = 0;  // in entries_
  size_t reply_bytes_ = 0;
};

}  // namespace hs::server
