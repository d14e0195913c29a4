// SPDX-License-Identifier: GPL-2.0-only
// What differs on a node of a Galera cluster.
#include "mariadb/cursor.h"
#include "mariadb/session.h"

namespace hs::mariadb {

// A transaction of another node may abort this session's at any time, also while its client is
// away; and until this session has noticed, the other nodes wait. A session that has tables
// open follows SET GLOBAL wsrep_on later.
bool MariaSession::takes_transactions() const {
  return mode_ == engine::Mode::kReadOnly || !(ClusterPart::is_node() || cluster_.is_on());
}

// What triggers do is not certified as a whole, and what is in other engines not replicated.
std::optional<Error> MariaSession::refusal_of_cluster(const MariaCursor& cursor) const {
  if (!ClusterPart::is_node() && !cluster_.is_on()) return {};
  if (cluster_.is_on() && cursor.is_replicated() && !cursor.has_triggers() &&
      !ClusterPart::limits_rows())
    return {};
  return Error{ErrorCode::kUnsupportedTable, 0, {}};
}

// Whether the running request was ended for DDL of the cluster, which kills those that hold a table
// without a transaction. It does not say so; but then it waits for the table.
bool MariaSession::is_in_way_of_cluster() const {
  return ClusterPart::is_node() && thd_->killed == KILL_QUERY_HARD && !cluster_.in_transaction() &&
         !transaction_.is_block() && is_waited_for();
}

bool MariaSession::was_rolled_back() const {
  return thd_->transaction_rollback_request || cluster_.was_aborted();
}

// After trans_commit() or trans_rollback(). The server may execute what was certified again in this
// session, for which it closes tables and gives back metadata locks. Its error stays raised.
bool MariaSession::end_in_cluster(bool failed) {
  if (failed) {
    if (!wsrep_must_replay(thd_)) trans_rollback(thd_);
    close_tables();
  }
  const bool committed = cluster_.end(failed);
  // What the server has executed again has ended well for it.
  if (thd_->get_stmt_da()->is_ok()) thd_->get_stmt_da()->reset_diagnostics_area();
  if (cluster_.gave_way()) {
    // How long its requests may be tried again.
    lock_waits().note_refused(adapter::LockWaits::Lock::kRow);
    lock_waits().forget_refused();
  }
  return committed;
}

Error MariaSession::take_commit_error() {
  Error error = take_lock_error();
  if (cluster_.was_ended_by_kill()) return Error{ErrorCode::kInterrupted, 0, {}};
  if (cluster_.gave_way()) return Error::sql(ER_LOCK_DEADLOCK, ER_THD(thd_, ER_LOCK_DEADLOCK));
  // The server often raises none.
  if (cluster_.is_on() && error.code == ErrorCode::kEngine)
    return Error::sql(ER_ERROR_DURING_COMMIT, "The cluster has not taken the transaction");
  return error;
}

}  // namespace hs::mariadb
