// SPDX-License-Identifier: GPL-2.0-only
#include "server_parts.h"
// (before anything else)
#include "adapter/variables.h"
#include "in_server/log.h"
#include "in_server/mappings.h"
#include "in_server/purge_host.h"
#include "server_words.h"

namespace hs::in_server {
namespace {

SqlSession& own(engine::Session& session) { return static_cast<SqlSession&>(session); }

class SqlPurgeHost final : public adapter::PurgeHost {
 public:
  unsigned rows_per_second() override { return adapter::purge_rows_per_second(); }

  std::string_view reason_not_to() override {
    if (adapter::purge_rows_per_second() == 0) return "handlersocket_ttl_purge_rows is 0";
    if (opt_readonly || transactions_are_read_only()) return "the server is read-only";
    return reason_to_leave_rows();
  }

  bool is_there(engine::Session& session, const mapping::TableName& table) override {
    return is_base_table(own(session), table);
  }
  adapter::ExpiringCursor& expiring(engine::Cursor& cursor) override {
    return static_cast<SqlCursor&>(cursor);
  }
  void lock_little(engine::Session& session) override {
    own(session).thd()->tx_isolation = ISO_READ_COMMITTED;
  }
  bool was_rolled_back(engine::Session& session) override {
    return own(session).thd()->transaction_rollback_request;
  }

  mapping::Directory& directory() override { return in_server::directory(); }
  void look_again() override { definition_news().begin_again(); }
  std::vector<mapping::TableName> take_with_ttl(size_t most) override {
    return definition_news().take_with_ttl(most);
  }

  void log_error(std::string_view message) override { in_server::log_error(message); }
};

}  // namespace

std::unique_ptr<adapter::PurgeHost> make_purge_host() { return std::make_unique<SqlPurgeHost>(); }

}  // namespace hs::in_server
