// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/user_statistics.h"

#include <sql_connect.h>

#include <algorithm>
#include <cstring>

#include "mariadb/release.h"

namespace hs::mariadb::user_statistics {
namespace {

// The entry of that name, made if there is none, as count_by_name_common() does. Null: there is no
// memory.
USER_STATS* entry_of(HASH& entries, const char* name, const char* role) {
  const size_t length = std::min(std::strlen(name), sizeof USER_STATS::user - 1);
  const auto* const key = reinterpret_cast<const uchar*>(name);
  if (uchar* const found = my_hash_search(&entries, key, length)) {
    return reinterpret_cast<USER_STATS*>(found);
  }
  void* const memory = my_malloc(PSI_NOT_INSTRUMENTED, sizeof(USER_STATS), MYF(MY_ZEROFILL));
  if (memory == nullptr) return nullptr;
  auto* const made = static_cast<USER_STATS*>(memory);
  strmake(made->user, name, length);
  strmake(made->priv_user, role, sizeof made->priv_user - 1);
  made->user_name_length = static_cast<uint>(length);
  if (my_hash_insert(&entries, reinterpret_cast<uchar*>(made)) == 0) return made;
  my_free(memory);
  return nullptr;
}

template <class Change>
void change(Whose whose, Change apply) {
  mysql_mutex_lock(&LOCK_global_user_client_stats);
  if (USER_STATS* const user = entry_of(global_user_stats, whose.user, whose.user)) apply(*user);
  if (USER_STATS* const host = entry_of(global_client_stats, whose.host, whose.user)) apply(*host);
  mysql_mutex_unlock(&LOCK_global_user_client_stats);
}

}  // namespace

bool wanted() { return opt_userstat_running; }

void add_connection(Whose whose, bool tls) {
  change(whose, [tls](USER_STATS& entry) {
    ++entry.total_connections;
    ++entry.concurrent_connections;
    if (tls) ++entry.total_ssl_connections;
  });
}

void end_connection(Whose whose, time_t seconds) {
  change(whose, [seconds](USER_STATS& entry) {
    // FLUSH USER_STATISTICS may have come between.
    if (entry.concurrent_connections > 0) --entry.concurrent_connections;
    entry.connected_time += seconds;
  });
}

void add_work(Whose whose, const engine::AccountWork& work) {
  change(whose, [&work](USER_STATS& entry) {
    entry.select_commands += work.reads;
    entry.update_commands += work.changes;
    entry.other_commands += work.others;
    entry.empty_queries += work.empty_reads;
    entry.rows_sent += work.rows_read;
    release::count_rows(entry, work.rows_read, work.rows_inserted, work.rows_updated,
                        work.rows_deleted);
    entry.access_denied_errors += work.denied;
    entry.bytes_received += work.bytes_received;
    entry.bytes_sent += work.bytes_sent;
  });
}

void add_denied(THD* thd) {
  const time_t now = time(nullptr);
  thd->userstat_running = true;
  thd->last_global_update_time = now;
  update_global_user_stats(thd, false, now);
}

}  // namespace hs::mariadb::user_statistics
