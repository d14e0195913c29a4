// SPDX-License-Identifier: GPL-2.0-only
// What differs on a node of a Galera cluster.
#include "mariadb/cursor.h"
// (before anything else)
#include <slave.h>

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

// Whether DDL of the cluster, which kills those that hold a table without a transaction of the cluster,
// has killed this session. It does not say so; but then it waits for the table.
bool MariaSession::is_killed_for_cluster() const {
  return ClusterPart::is_node() && thd_->killed == KILL_QUERY_HARD && !cluster_.in_transaction() &&
         is_waited_for();
}

// Whether the running request was ended for such DDL, and may be executed again behind it.
bool MariaSession::is_in_way_of_cluster() const {
  return !transaction_.is_block() && is_killed_for_cluster();
}

// A client's transaction is lost by a KILL, and to DDL of the cluster: behind that the node applies
// nothing, and soon all nodes wait.
bool MariaSession::block_was_killed() const {
  return transaction_.is_block() && (thd_->killed >= KILL_CONNECTION || is_killed_for_cluster());
}

// At the beginning of a transaction, which may use tables that were kept open. DDL of the cluster that
// waits for one of them did not see the transaction, so it will not abort it: both would wait for
// each other. DDL that comes later sees it.
bool MariaSession::is_in_way_of_ddl() {
  if (!cluster_.in_transaction() || !is_waited_for()) return false;
  if (thd_->killed == KILL_QUERY_HARD) thd_->reset_killed();  // for the tables that it gives back
  return true;
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
  // How long its requests may be tried again. One that was refused a lock before must still wait.
  if (cluster_.gave_way()) lock_waits().be_patient(adapter::LockWaits::Lock::kRow);
  return committed;
}

// The server has executed the transaction again on a session of its own, and does not tell which GTID
// it got. That of a later transaction of the same domain does as well: who has that one, has both.
rpl_gtid MariaSession::gtid_of_replayed() {
  rpl_gtid last = {};
  const uint32 domain =
      wsrep_gtid_mode ? wsrep_gtid_server.domain_id : global_system_variables.gtid_domain_id;
  const bool is_logged = mysql_bin_log.is_open() && opt_log_slave_updates;
  if (!is_logged || !mysql_bin_log.lookup_domain_in_binlog_state(domain, &last)) return {};
  return last;
}

Error MariaSession::take_commit_error() {
  using Ending = ClusterPart::Ending;
  Error error = take_lock_error();
  switch (cluster_.ending()) {
    case Ending::kKilled:
      return Error{ErrorCode::kInterrupted, 0, {}};
    case Ending::kHeldUp:
      return Error{ErrorCode::kLockTables, 0, {}};
    case Ending::kGaveWay:
      return Error::sql(ER_LOCK_DEADLOCK, ER_THD(thd_, ER_LOCK_DEADLOCK));
    case Ending::kAsSaid:
    case Ending::kReplayed:
    case Ending::kTooLarge:
    case Ending::kUnknown:
      break;
  }
  // The server often raises none.
  if (cluster_.is_on() && error.code == ErrorCode::kEngine)
    return Error::sql(ER_ERROR_DURING_COMMIT, "The cluster has not taken the transaction");
  return error;
}

}  // namespace hs::mariadb
