// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/gtid.h"
// (before anything else)
#include <rpl_rli.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace hs::mariadb {
namespace {

// The last number of the domain that replication has applied here.
uint64_t applied_by_replication(uint32_t domain) {
  rpl_slave_state& state = *rpl_global_gtid_slave_state;
  mysql_mutex_lock(&state.LOCK_slave_state);
  const auto* const element = reinterpret_cast<const rpl_slave_state::element*>(
      my_hash_search(&state.hash, reinterpret_cast<const uchar*>(&domain), sizeof domain));
  const uint64_t number = element == nullptr ? 0 : element->highest_seq_no;
  mysql_mutex_unlock(&state.LOCK_slave_state);
  return number;
}

// The last number of the domain and the server that is in the log; 0: there is none.
uint64_t last_in_log(const adapter::DomainGtid& gtid) {
  rpl_gtid found;
  const bool is_there = mysql_bin_log.is_open() &&
                        mysql_bin_log.find_in_binlog_state(gtid.domain, gtid.server, &found);
  return is_there ? found.seq_no : 0;
}

// A place in the binary log.
struct Place {
  uint64_t file = 0;  // the number in its name
  uint64_t offset = 0;

  auto operator<=>(const Place&) const = default;
};

Place place_of(const char* file, uint64_t offset) {
  const char* const dot = std::strrchr(file, '.');
  return {dot == nullptr ? 0 : std::strtoull(dot + 1, nullptr, 10), offset};
}

// Up to where the log is written and synced.
Place written() {
  char file[FN_REFLEN];
  mysql_bin_log.lock_binlog_end_pos();
  const my_off_t offset = mysql_bin_log.get_binlog_end_pos(file);
  mysql_bin_log.unlock_binlog_end_pos();
  return place_of(file, offset);
}

// Up to where what is in the log can be seen in the tables. None: a group becomes visible just now.
std::optional<Place> committed() {
  if (mysql_mutex_trylock(&LOCK_commit_ordered) != 0) return std::nullopt;
  const Place place =
      place_of(mysql_bin_log.last_commit_pos_file, mysql_bin_log.last_commit_pos_offset);
  mysql_mutex_unlock(&LOCK_commit_ordered);
  return place;
}

// Whether all that was in the log's state when `mark` was set can be seen. The state is changed while
// a group of transactions is written, which holds the log. So without a writer the state ends where
// the log does. With one, it ends with the writer's group, behind which the log goes on in one step.
bool log_is_committed(engine::GtidMark& mark) {
  if (!mark.is_exact) {
    const bool is_free = mysql_mutex_trylock(mysql_bin_log.get_log_lock()) == 0;
    if (is_free || !mark.is_set) {
      const Place place = written();
      mark = {.is_set = true, .is_exact = is_free, .file = place.file, .offset = place.offset};
    }
    if (is_free) mysql_mutex_unlock(mysql_bin_log.get_log_lock());
  }
  const std::optional<Place> done = committed();
  const Place wanted = {mark.file, mark.offset};
  return done && (mark.is_exact ? *done >= wanted : *done > wanted);
}

}  // namespace

engine::Gtid text_of(const rpl_gtid& gtid) {
  char text[engine::Gtid::kMaxSize + 1];
  const int size = std::snprintf(text, sizeof text, "%u-%u-%llu", gtid.domain_id, gtid.server_id,
                                 static_cast<unsigned long long>(gtid.seq_no));
  return engine::Gtid({text, static_cast<size_t>(size)});
}

void Gtids::note_committed(const rpl_gtid& gtid) {
  const MutexLock lock(mutex_);
  const bool is_older = gtid.domain_id == last_.domain_id && gtid.server_id == last_.server_id &&
                        gtid.seq_no < last_.seq_no;
  if (!is_older) last_ = gtid;
}

// Behind RESET MASTER the numbers begin anew, and what was noted before says nothing of them.
bool Gtids::is_committed(const adapter::DomainGtid& gtid, uint64_t last_in_log) const {
  const MutexLock lock(mutex_);
  return gtid.domain == last_.domain_id && gtid.server == last_.server_id &&
         gtid.number <= last_.seq_no && last_.seq_no <= last_in_log;
}

bool Gtids::have_applied(const adapter::GtidList& list, engine::GtidMark& mark) const {
  bool is_by_log = false;  // something is only known from the log
  for (const adapter::DomainGtid& gtid : list.gtids()) {
    if (applied_by_replication(gtid.domain) >= gtid.number) continue;
    const uint64_t logged = last_in_log(gtid);
    if (logged < gtid.number) {
      mark = {};
      return false;
    }
    is_by_log |= !is_committed(gtid, logged);
  }
  return !is_by_log || log_is_committed(mark);
}

}  // namespace hs::mariadb
