// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/commit_bound.h"
// (before anything else)
#include <algorithm>

namespace hs::mariadb {
namespace {

constexpr ulonglong kUsOfASecond = 1'000'000;

// Whether the cluster has not taken the transaction yet. Before it is sent it may wait for another one of
// this node that is executed again, which cannot end while DDL with wsrep_OSU_method=RSU goes on.
bool is_to_be_taken(enum wsrep::transaction::state state) {
  return state == wsrep::transaction::s_executing || state == wsrep::transaction::s_preparing ||
         state == wsrep::transaction::s_certifying;
}

}  // namespace

void CommitBound::begin(unsigned most_s) {
  has_ended_wait_ = false;
  thr_timer_init(
      &timer_, [](void* bound) { static_cast<CommitBound*>(bound)->end_wait(); }, this);
  is_set_ = !thr_timer_settime(&timer_, std::max(most_s, 1U) * kUsOfASecond);
}

// The timer calls with its lock held, so none is under way afterwards.
bool CommitBound::end() {
  if (!is_set_) return false;
  is_set_ = false;
  thr_timer_end(&timer_);
  return has_ended_wait_;
}

// By the server's thread for timers. What another node's transaction does that needs the same row.
void CommitBound::end_wait() {
  mysql_mutex_lock(&thd_->LOCK_thd_data);
  Wsrep_mutex mutex(&thd_->LOCK_thd_data);
  {
    wsrep::unique_lock<wsrep::mutex> lock(mutex, std::adopt_lock);
    if (is_to_be_taken(thd_->wsrep_trx().state()))
      has_ended_wait_ = thd_->wsrep_cs().bf_abort(lock, wsrep::seqno::undefined()) != 0;
    lock.release();
  }
  mysql_mutex_unlock(&thd_->LOCK_thd_data);
}

}  // namespace hs::mariadb
