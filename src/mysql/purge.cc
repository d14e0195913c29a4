// SPDX-License-Identifier: GPL-2.0-only
#include "mysql/purge.h"

#include "adapter/variables.h"
#include "mysql/cursor.h"
#include "mysql/definition_news.h"
#include "mysql/log.h"
#include "mysql/mappings.h"
#include "mysql/session.h"
#include "mysql/table_description.h"
#include "sql/rpl_mi.h"
#include "sql/rpl_msr.h"

namespace hs::mysql {
namespace {

MysqlSession& own(engine::Session& session) { return static_cast<MysqlSession&>(session); }

// Whether the server is set up as a replica, whether it applies just now or not.
bool is_replica() {
  channel_map.rdlock();
  const bool found = channel_map.get_number_of_configured_channels() != 0;
  channel_map.unlock();
  return found;
}

class MysqlPurgeHost final : public adapter::PurgeHost {
 public:
  unsigned rows_per_second() override { return adapter::purge_rows_per_second(); }

  std::string_view reason_not_to() override {
    if (adapter::purge_rows_per_second() == 0) return "handlersocket_ttl_purge_rows is 0";
    if (opt_readonly || global_system_variables.transaction_read_only)
      return "the server is read-only";
    if (is_replica()) return "the server is a replica";
    return {};
  }

  bool is_there(engine::Session& session, const mapping::TableName& name) override {
    THD* const thd = own(session).thd();
    ServerSession& server = own(session).server();
    server.begin_statement(SQLCOM_SHOW_TABLES);
    bool found = true;
    {
      const TableWait wait(server);
      HeldDefinition definition(thd);
      const dd::Abstract_table* const table = definition.table(name.database, name.table);
      if (table != nullptr || definition.is_missing())
        found = table != nullptr && table->type() == dd::enum_table_type::BASE_TABLE;
    }
    thd->clear_error();
    server.end_statement();
    return found;
  }

  adapter::ExpiringCursor& expiring(engine::Cursor& cursor) override {
    return static_cast<MysqlCursor&>(cursor);
  }
  void lock_little(engine::Session& session) override {
    own(session).thd()->tx_isolation = ISO_READ_COMMITTED;
  }
  bool was_rolled_back(engine::Session& session) override {
    return own(session).thd()->transaction_rollback_request;
  }

  mapping::Directory& directory() override { return mysql::directory(); }
  void look_again() override { definition_news().begin_again(); }
  std::vector<mapping::TableName> take_with_ttl(size_t most) override {
    return definition_news().take_with_ttl(most);
  }

  void log_error(std::string_view message) override { mysql::log_error(message); }
};

}  // namespace

std::unique_ptr<adapter::PurgeHost> make_purge_host() { return std::make_unique<MysqlPurgeHost>(); }

}  // namespace hs::mysql
