// SPDX-License-Identifier: GPL-2.0-only
// A session's part in a Galera cluster. On a node of one, what a transaction changes is certified
// when it commits, and then applied on all other nodes. A transaction of another node that was
// certified earlier takes the rows that it needs: this node's transaction is aborted, and is to be
// executed again.
//
// The calls are ( begin_statement* end )*, by the thread that the session is in. They make those
// calls that the server makes for a client's commands; a transaction is one command.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include "base/result.h"
#include "mariadb/commit_bound.h"

namespace hs::mariadb {

class ClusterPart {
 public:
  explicit ClusterPart(THD* thd) : thd_(thd), commit_bound_(thd) {}
  ~ClusterPart();
  ClusterPart(const ClusterPart&) = delete;
  ClusterPart& operator=(const ClusterPart&) = delete;

  // Whether the server is a node of a cluster.
  static bool is_node() { return WSREP_ON; }
  // Whether a node may change something now. Not while it joins, or has lost the others.
  static bool is_ready() { return wsrep_ready_get() && wsrep_reject_queries == WSREP_REJECT_NONE; }
  // Whether an engine's changes reach the other nodes.
  static bool replicates(const handlerton& engine) {
    return (engine.flags & HTON_WSREP_REPLICATION) != 0;
  }

  // Whether a row's change may fail behind the engine's, for a limit of rows or a table without a
  // key. A group's other requests would then be lost, or the row stay.
  static bool limits_rows() { return wsrep_max_ws_rows != 0 || !wsrep_certify_nonPK; }

  // Whether what the session changes is replicated, as its settings say.
  bool is_on() const { return WSREP_NNULL(thd_); }

  // Before each statement of the transaction. Errors: SQL's own when the node is not ready; the
  // transaction was aborted.
  Result<void> begin_statement();
  // Whether the transaction was begun here and has not ended.
  bool in_transaction() const { return in_transaction_; }

  // Whether the transaction was chosen to be rolled back, or has been. Any state of it.
  bool was_aborted() const;
  // ... for a KILL of this session, and not for a transaction of another node.
  bool was_killed() const { return thd_->wsrep_abort_by_kill != NOT_KILLED; }

  // Whether an undone statement that changed something leaves its changes in what is replicated:
  // the server's binary log keeps them apart, and without one only the transaction's rollback takes
  // them away.
  bool keeps_undone_statements() const { return in_transaction_ && WSREP_EMULATE_BINLOG(thd_); }

  // Before the commit, which waits at most so long until the cluster takes the transaction.
  void begin_commit(unsigned most_s) {
    commits_ = true;
    commit_bound_.begin(most_s);
  }
  // After the commit or rollback of the server's, `failed` or not, and with every table closed if
  // it has failed. True: the transaction is committed. Leaves the server's error as it is.
  bool end(bool failed);

  // How the last transaction ended.
  enum class Ending : uint8_t {
    kAsSaid,    // as the server's call has said
    kReplayed,  // committed, although the call has failed. It was certified, and then had to give
                // way: the server has executed it again, as the other nodes do
    kGaveWay,   // rolled back, for a transaction of another node
    kTooLarge,  // ... it is larger than the cluster takes (wsrep_max_ws_size). A part may not be
    kKilled,    // ... by a KILL of this session
    kHeldUp,    // ... the cluster has not taken it in time
    kUnknown,   // rolled back here, and committed by the others or not: the node has lost them
  };
  Ending ending() const { return ending_; }
  bool gave_way() const { return ending_ == Ending::kGaveWay; }

 private:
  THD* const thd_;
  bool in_transaction_ = false;
  bool commits_ = false;  // the transaction's commit has begun
  Ending ending_ = Ending::kAsSaid;
  CommitBound commit_bound_;
};

}  // namespace hs::mariadb
