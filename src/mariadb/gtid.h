// SPDX-License-Identifier: GPL-2.0-only
// Which transactions are in this server's tables, by their GTIDs.
//
// A replica says so itself (gtid_slave_pos), as it does to MASTER_GTID_WAIT. What the binary log has
// is there too, but not at once: a transaction is in the log's state before its rows can be seen. So
// the log is asked how far it is committed.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include "adapter/gtid_list.h"
#include "base/mutex.h"
#include "engine/gtid.h"

namespace hs::mariadb {

inline bool are_same(const rpl_gtid& a, const rpl_gtid& b) {
  return a.domain_id == b.domain_id && a.server_id == b.server_id && a.seq_no == b.seq_no;
}

// As the server writes it.
engine::Gtid text_of(const rpl_gtid& gtid);

// Any thread. Nothing here waits for anything but short mutexes.
class Gtids {
 public:
  // One of the engine's sessions has committed it, and its rows can be seen.
  void note_committed(const rpl_gtid& gtid);

  // See engine::Session::has_applied().
  bool have_applied(const adapter::GtidList& list, engine::GtidMark& mark) const;

 private:
  bool is_committed(const adapter::DomainGtid& gtid, uint64_t last_in_log) const;

  mutable Mutex mutex_;
  rpl_gtid last_ HS_GUARDED_BY(mutex_) = {};  // of note_committed()
};

}  // namespace hs::mariadb
