// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/server_headers.h"
// (before anything else)
#include <rpl_mi.h>
#include <slave.h>

#include "adapter/variables.h"
#include "mariadb/cluster_part.h"
#include "mariadb/cursor.h"
#include "mariadb/definition_news.h"
#include "mariadb/mappings.h"
#include "mariadb/purge.h"
#include "mariadb/release.h"
#include "mariadb/session.h"

namespace hs::mariadb {
namespace {

THD* thd_of(engine::Session& session) { return static_cast<MariaSession&>(session).thd(); }

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

class MariaPurgeHost final : public adapter::PurgeHost {
 public:
  unsigned rows_per_second() override { return adapter::purge_rows_per_second(); }

  std::string_view reason_not_to() override {
    if (adapter::purge_rows_per_second() == 0) return "handlersocket_ttl_purge_rows is 0";
    if (opt_readonly || global_system_variables.tx_read_only) return "the server is read-only";
    if (is_replica()) return "the server is a replica";
    if (ClusterPart::is_node() && (!ClusterPart::is_ready() || wsrep_local_index != 0))
      return "another node of the cluster deletes them";
    return {};
  }

  bool is_there(engine::Session& session, const mapping::TableName& name) override {
    const LEX_CSTRING database{name.database.data(), name.database.size()};
    const LEX_CSTRING table{name.table.data(), name.table.size()};
    handlerton* engine = nullptr;
    bool is_sequence = false;
    return release::table_exists(thd_of(session), database, table, &engine, &is_sequence) &&
           engine != view_pseudo_hton && !is_sequence;
  }

  adapter::ExpiringCursor& expiring(engine::Cursor& cursor) override {
    return static_cast<MariaCursor&>(cursor);
  }
  void lock_little(engine::Session& session) override {
    thd_of(session)->tx_isolation = ISO_READ_COMMITTED;
  }
  bool was_rolled_back(engine::Session& session) override {
    return thd_of(session)->transaction_rollback_request;
  }

  mapping::Directory& directory() override { return mariadb::directory(); }
  void look_again() override { definition_news().begin_again(); }
  std::vector<mapping::TableName> take_with_ttl(size_t most) override {
    return definition_news().take_with_ttl(most);
  }

  void log_error(std::string_view message) override {
    sql_print_error("handlersocket: %.*s", static_cast<int>(message.size()), message.data());
  }
};

}  // namespace

std::unique_ptr<adapter::PurgeHost> make_purge_host() { return std::make_unique<MariaPurgeHost>(); }

}  // namespace hs::mariadb
