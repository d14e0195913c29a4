// SPDX-License-Identifier: GPL-2.0-only
#include "in_server/purge_host.h"
#include "mysql/session.h"
#include "mysql/table_description.h"
#include "sql/rpl_mi.h"
#include "sql/rpl_msr.h"

namespace hs::in_server {

// It is set up as a replica, whether it applies just now or not.
std::string_view reason_to_leave_rows() {
  channel_map.rdlock();
  const bool is_replica = channel_map.get_number_of_configured_channels() != 0;
  channel_map.unlock();
  return is_replica ? "the server is a replica" : "";
}

bool is_base_table(engine::Session& session, const mapping::TableName& name) {
  mysql::ServerSession& server = static_cast<mysql::MysqlSession&>(session).server();
  THD* const thd = server.thd();
  server.begin_statement(SQLCOM_SHOW_TABLES);
  bool found = true;
  {
    const TableWait wait(server);
    mysql::HeldDefinition definition(thd);
    const dd::Abstract_table* const table = definition.table(name.database, name.table);
    if (table != nullptr || definition.is_missing())
      found = table != nullptr && table->type() == dd::enum_table_type::BASE_TABLE;
  }
  thd->clear_error();
  server.end_statement();
  return found;
}

}  // namespace hs::in_server
