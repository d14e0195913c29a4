// SPDX-License-Identifier: GPL-2.0-only
// Bounds how long a commit on a node of a Galera cluster waits until the cluster takes its
// transaction. While the cluster is slowed down (flow control), it would wait without end, and no
// KILL ends it. Waits that come later are short, and not ended: the transaction is certified then.
//
// The server's timer ends the wait, as it does for max_statement_time.
#pragma once

#include "mariadb/server_headers.h"

namespace hs::mariadb {

class CommitBound {
 public:
  explicit CommitBound(THD* thd) : thd_(thd) {}
  CommitBound(const CommitBound&) = delete;
  CommitBound& operator=(const CommitBound&) = delete;

  // In front of the commit. The session's thread. 0 counts as 1, since every commit waits a moment.
  void begin(unsigned most_s);
  // Behind it. True: the wait was ended, so the cluster has not taken the transaction, or the server
  // must execute it again.
  bool end();

 private:
  void end_wait();

  THD* const thd_;
  thr_timer_t timer_{};
  bool is_set_ = false;
  bool has_ended_wait_ = false;  // under LOCK_thd_data
};

}  // namespace hs::mariadb
