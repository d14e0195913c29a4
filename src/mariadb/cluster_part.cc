// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/cluster_part.h"
// (before anything else)
#include <utility>

namespace hs::mariadb {

ClusterPart::~ClusterPart() {
  wsrep_close(thd_);
  wsrep_cleanup(thd_);
}

Result<void> ClusterPart::begin_statement() {
  if (!in_transaction_) ending_ = Ending::kAsSaid;
  if (!is_on()) return {};
  if (!is_ready())
    return Error::sql(ER_UNKNOWN_COM_ERROR, "WSREP has not yet prepared node for application use");
  if (!in_transaction_) {
    thd_->variables.wsrep_trx_fragment_size = 0;  // a group is not worth sending in pieces
    if (thd_->wsrep_cs().state() == wsrep::client_state::s_none) wsrep_open(thd_);
    thd_->wsrep_aborter = 0;
    (void)wsrep_before_command(thd_);  // fails for an open transaction only
    in_transaction_ = true;
  }
  if (wsrep_before_statement(thd_) != 0)
    return Error::sql(ER_LOCK_DEADLOCK, ER_THD(thd_, ER_LOCK_DEADLOCK));
  if (wsrep_start_trx_if_not_started(thd_) != 0)
    return Error::sql(ER_ERROR_DURING_COMMIT, "the cluster takes no transaction");
  return {};
}

// It is marked and killed under one lock. What was cleaned up since leaves the error behind, until
// the end of the command.
bool ClusterPart::was_aborted() const {
  if (!in_transaction_) return false;
  if (wsrep_current_error(thd_) == wsrep::e_deadlock_error) return true;
  mysql_mutex_lock(&thd_->LOCK_thd_data);
  const bool aborted = wsrep_is_bf_aborted(thd_);
  mysql_mutex_unlock(&thd_->LOCK_thd_data);
  return aborted;
}

bool ClusterPart::end(bool failed) {
  const bool held_up = commit_bound_.end();
  const bool commits = std::exchange(commits_, false);
  if (!in_transaction_) return !failed;
  const bool was_chosen = was_aborted();
  const bool is_certified = failed && wsrep_must_replay(thd_);
  const bool killed = was_killed() || (thd_->killed != NOT_KILLED && thd_->wsrep_aborter == 0);
  const bool too_large = failed && wsrep_current_error(thd_) == wsrep::e_size_exceeded_error;
  const bool was_cut_off =
      thd_->wsrep_cs().current_error_status() == wsrep::provider::error_connection_failed;
  const bool kept = wsrep_after_statement(thd_) == 0;
  const bool aborted = was_chosen || wsrep_current_error(thd_) == wsrep::e_deadlock_error;
  wsrep_after_command_ignore_result(thd_);
  in_transaction_ = false;
  // What was sent to the others when they were lost, they may commit, whatever ended it here.
  const bool is_cut_off = was_cut_off || (!too_large && !wsrep_ready_get());
  ending_ = !failed                 ? Ending::kAsSaid
            : is_certified && kept  ? Ending::kReplayed
            : commits && is_cut_off ? Ending::kUnknown
            : killed                ? Ending::kKilled
            : held_up               ? Ending::kHeldUp
            : aborted               ? Ending::kGaveWay
            : too_large             ? Ending::kTooLarge
                                    : Ending::kAsSaid;
  // Else the kill of an abort would end the next request. A KILL that came too late for the commit
  // has left its mark alone: a later abort would be taken for a KILL, and a later KILL be lost.
  if ((thd_->wsrep_aborter != 0 || was_killed()) && thd_->killed < KILL_CONNECTION)
    thd_->reset_killed();
  return !failed || ending_ == Ending::kReplayed;
}

}  // namespace hs::mariadb
