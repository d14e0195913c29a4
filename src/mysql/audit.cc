// SPDX-License-Identifier: GPL-2.0-only
#include "mysql/audit.h"

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

#include "mysql/account.h"
#include "mysql/server_session.h"
#include "sql/reference_caching_setup.h"

namespace hs::mysql {
namespace {

using Class = Event_tracking_class;

// Looks at the classes of the plugins, and at the number of components for this one.
bool is_anybody_for(mysql_event_class_t plugins, Class components) {
  return is_audit_plugin_class_active(nullptr, plugins) ||
         (g_event_channels != nullptr && g_event_channels->service_exists(components));
}

struct Kind {
  mysql_event_tracking_table_access_subclass_t subclass;
  const char* name;  // as SQL has it in the error of a refusal
};

// As the server tells of a statement.
Kind kind_of(enum_sql_command command) {
  switch (command) {
    case SQLCOM_INSERT:
    case SQLCOM_REPLACE:
      return {AUDIT_EVENT(EVENT_TRACKING_TABLE_ACCESS_INSERT)};
    case SQLCOM_UPDATE:
      return {AUDIT_EVENT(EVENT_TRACKING_TABLE_ACCESS_UPDATE)};
    case SQLCOM_DELETE:
      return {AUDIT_EVENT(EVENT_TRACKING_TABLE_ACCESS_DELETE)};
    default:
      return {AUDIT_EVENT(EVENT_TRACKING_TABLE_ACCESS_READ)};
  }
}

my_thread_id number_of(const THD* thd, const MysqlAccount* account) {
  return account != nullptr ? account->connection().id : thd->thread_id();
}

// False: it was refused, and the error is raised, as in SQL.
bool dispatch(THD* thd, Class kind, const char* name, const void* data) {
  st_mysql_event_generic event{};
  event.event_class = kind;
  event.event = data;
  Diagnostics_area& area = *thd->get_stmt_da();
  area.set_overwrite_status(true);
  const bool is_refused = thd->event_notify(&event);
  if (is_refused && !area.is_error()) my_error(ER_AUDIT_API_ABORT, MYF(0), name, 1);
  area.set_overwrite_status(false);
  return !is_refused && !area.is_error();
}

// As the server tells it, which takes no account of an error here.
void tell_end(THD* thd, const LoggedIn& connection) {
  const Security_context& context = *thd->security_context();
  const auto text = [](LEX_CSTRING name) {
    return mysql_cstring_with_length{name.str, name.length};
  };
  mysql_event_tracking_connection_data data{};
  data.event_subclass = EVENT_TRACKING_CONNECTION_DISCONNECT;
  data.connection_id = connection.id;
  data.user = text(context.user());
  data.priv_user = text(context.priv_user());
  data.external_user = text(context.external_user());
  data.proxy_user = text(context.proxy_user());
  data.host = text(context.host());
  data.ip = text(context.ip());
  data.connection_type = connection.kind;
  (void)dispatch(thd, Class::CONNECTION, "EVENT_TRACKING_CONNECTION_DISCONNECT", &data);
}

// The THD keeps what it refers to for itself.
template <auto Member>
struct References {
  friend Event_reference_caching_cache*& references_of(THD& thd) { return thd.*Member; }
};
Event_reference_caching_cache*& references_of(THD& thd);
template struct References<&THD::events_cache_>;

}  // namespace

// Which may be told by a session. Connections are told of by others.
bool Listeners::are_components() {
  if (g_event_channels == nullptr) return false;
  constexpr Class kTold[] = {Class::TABLE_ACCESS,   Class::GENERAL,         Class::QUERY,
                             Class::STORED_PROGRAM, Class::GLOBAL_VARIABLE, Class::PARSE};
  return std::any_of(std::begin(kTold), std::end(kTold),
                     [](Class told) { return g_event_channels->service_exists(told); });
}

// A THD has no other way. One of SQL refers to them until its connection ends, and here sessions do not end.
void Listeners::let_go_of_components() {
  refers_ = false;
  Event_reference_caching_cache*& references = references_of(*thd_);
  auto* const fresh = new (std::nothrow) Event_reference_caching_cache();
  delete std::exchange(references, fresh);
}

void TableAudit::begin_batch() {
  listeners_.expect();
  is_heard_ = is_anybody_for(MYSQL_AUDIT_TABLE_ACCESS_CLASS, Class::TABLE_ACCESS);
}

bool TableAudit::tell_once(const MysqlAccount* account, const std::string& database,
                           const std::string& table, enum_sql_command command) {
  const auto [place, is_new] =
      told_.emplace(number_of(thd_, account), static_cast<unsigned long>(kind_of(command).subclass),
                    database, table);
  if (!is_new || tell(account, database, table, command)) return true;
  told_.erase(place);
  return false;
}

bool TableAudit::tell(const MysqlAccount* account, const std::string& database,
                      const std::string& table, enum_sql_command command) {
  const Kind kind = kind_of(command);
  if (thd_->check_event_subscribers(Class::TABLE_ACCESS, kind.subclass, true)) return true;
  const ActingAs acting(thd_, account);
  mysql_event_tracking_table_access_data data{};
  data.event_subclass = kind.subclass;
  data.connection_id = number_of(thd_, account);
  data.table_database = {database.data(), database.size()};
  data.table_name = {table.data(), table.size()};
  // Plugins are told of the statement, too.
  const enum_sql_command before = std::exchange(thd_->lex->sql_command, command);
  const bool is_allowed = dispatch(thd_, Class::TABLE_ACCESS, kind.name, &data);
  thd_->lex->sql_command = before;
  return is_allowed;
}

// In a THD of its own, which is gone behind it with all that it refers to.
void note_end(const MysqlAccount& account) {
  if (!is_anybody_for(MYSQL_AUDIT_CONNECTION_CLASS, Class::CONNECTION)) return;
  THD* const thd = ServerSession::make_thd();
  if (thd == nullptr) return;
  {
    const EnteredThd entered(thd);
    if (!thd->check_event_subscribers(Class::CONNECTION, EVENT_TRACKING_CONNECTION_DISCONNECT,
                                      false)) {
      const ActingAs acting(thd, &account);
      tell_end(thd, account.connection());
    }
    mysql_audit_release(thd);
  }
  ServerSession::end_thd(thd);
}

}  // namespace hs::mysql
