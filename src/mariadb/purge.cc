// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/server_headers.h"
// (before anything else)
#include <rpl_mi.h>
#include <slave.h>
#include <wsrep_utils.h>

#include <algorithm>

#include "in_server/purge_host.h"
#include "mariadb/cluster_part.h"
#include "mariadb/release.h"
#include "mariadb/session.h"

namespace hs::in_server {
namespace {

// Whether the server is set up as a replica, whether it applies just now or not.
bool is_replica() {
  bool found = false;
  mysql_mutex_lock(&LOCK_active_mi);
  if (master_info_index != nullptr) {
    HASH& all = master_info_index->master_info_hash;
    for (ulong i = 0; i < all.records && !found; ++i)
      found = reinterpret_cast<const Master_info*>(my_hash_element(&all, i))->host[0] != '\0';
  }
  mysql_mutex_unlock(&LOCK_active_mi);
  return found;
}

// Whether this is the cluster's first member that is a server. An arbitrator (garbd) is a member, too, and
// has no address for clients.
bool is_first_node() {
  mysql_mutex_lock(&LOCK_wsrep_config_state);
  const wsrep::view& view = wsrep_config_state->get_view_info();
  const auto& members = view.members();
  const auto first = std::ranges::find_if(
      members, [](const wsrep::view::member& member) { return !member.incoming().empty(); });
  const auto number = first == members.end() ? 0 : first - members.begin();
  const bool is_first = view.own_index() == number;
  mysql_mutex_unlock(&LOCK_wsrep_config_state);
  return is_first;
}

}  // namespace

std::string_view reason_to_leave_rows() {
  if (is_replica()) return "the server is a replica";
  if (mariadb::ClusterPart::is_node())
    return mariadb::ClusterPart::is_ready() && is_first_node()
               ? std::string_view()
               : "another node of the cluster deletes them";
  // The node would lack what the others still have, and leave the cluster when those change it.
  if (wsrep_connected) return "wsrep_on is OFF, so the other nodes would keep them";
  return {};
}

bool is_base_table(engine::Session& session, const mapping::TableName& name) {
  const LEX_CSTRING database{name.database.data(), name.database.size()};
  const LEX_CSTRING table{name.table.data(), name.table.size()};
  handlerton* engine = nullptr;
  bool is_sequence = false;
  THD* const thd = static_cast<mariadb::MariaSession&>(session).thd();
  return mariadb::release::table_exists(thd, database, table, &engine, &is_sequence) &&
         engine != view_pseudo_hton && !is_sequence;
}

}  // namespace hs::in_server
