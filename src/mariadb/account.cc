// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/account.h"

#include <sql_acl.h>
#include <sql_audit.h>
#include <sql_connect.h>

#include <algorithm>

#include "adapter/variables.h"
#include "base/clock.h"
#include "mariadb/release.h"

namespace hs::mariadb {
namespace {

using adapter::text;

// How many of the columns, from the first one on, the account has the privilege for.
template <class NameOf>
size_t reach(THD* thd, const TableNames& names, GRANT_INFO& grant, privilege_t wanted, size_t count,
             NameOf name_of) {
  if ((grant.privilege & wanted) == wanted) return engine::Rights::kAll;
  for (size_t i = 0; i < count; ++i) {
    const privilege_t found =
        release::column_grant(thd, grant, names.database, names.table, name_of(i));
    if ((found & wanted) != wanted) return i;
  }
  return count;
}

}  // namespace

Principal::Principal(uint64_t number, const Security_context& login)
    : id(number),
      user_(text(login.user)),
      host_(text(login.host)),
      ip_(text(login.ip)),
      priv_user_(login.priv_user),
      priv_host_(login.priv_host),
      role_(login.priv_role) {
  context_.init();
}

MariaAccount::MariaAccount(Privileges& privileges, std::shared_ptr<Principal> principal,
                           my_thread_id connection, USER_CONN* limits, bool tls)
    : privileges_(privileges),
      principal_(std::move(principal)),
      connection_(connection),
      limits_(limits),
      most_us_(limits == nullptr
                   ? 0
                   : static_cast<uint64_t>(limits->user_resources.max_statement_time * 1e6)),
      came_(user_statistics::wanted() ? time(nullptr) : 0) {
  if (came_ != 0) user_statistics::add_connection(whose(), tls);
}

MariaAccount::~MariaAccount() {
  if (came_ != 0) user_statistics::end_connection(whose(), time(nullptr) - came_);
  if (limits_ != nullptr) decrease_user_connections(limits_);
  privileges_.note_end(*principal_, connection_);
}

user_statistics::Whose MariaAccount::whose() const {
  return {principal_->user(), principal_->host()};
}

void MariaAccount::note(const engine::AccountWork& work) const {
  if (user_statistics::wanted()) user_statistics::add_work(whose(), work);
}

bool MariaAccount::sees_connections() const {
  return privileges_.has_global(*principal_, PROCESS_ACL);
}

bool MariaAccount::ends_connections() const {
  return privileges_.has_global(*principal_, PRIV_KILL_OTHER_USER_PROCESS);
}

bool MariaAccount::may_ask(THD* thd, enum_sql_command command) const {
  thd->user_connect = limits_;
  const bool exceeded = check_mqh(thd, command);
  thd->user_connect = nullptr;
  if (exceeded) thd->clear_error();
  return !exceeded;
}

void MariaAccount::take_back(enum_sql_command command) const {
  mysql_mutex_lock(&LOCK_user_conn);
  // A new hour may have begun.
  if (limits_->questions != 0) --limits_->questions;
  if (command != SQLCOM_SELECT && limits_->updates != 0) --limits_->updates;
  mysql_mutex_unlock(&LOCK_user_conn);
}

bool MariaAccount::tables_are_audited() { return mysql_audit_table_enabled(); }

void MariaAccount::note_table(THD* thd, const TABLE_SHARE& table, bool writes) const {
  mysql_event_table event{};
  event.event_subclass = MYSQL_AUDIT_TABLE_LOCK;
  event.thread_id = static_cast<unsigned long>(connection_);
  event.user = principal_->user_.c_str();
  event.priv_user = principal_->priv_user_.c_str();
  event.priv_host = principal_->priv_host_.c_str();
  event.external_user = event.proxy_user = "";
  event.host = principal_->host_.c_str();
  event.ip = principal_->ip_.c_str();
  event.database = table.db;
  event.table = table.table_name;
  event.read_only = !writes;
  event.query_id = thd->query_id;
  mysql_audit_notify(thd, MYSQL_AUDIT_TABLE_CLASS, &event);
}

// The THD with which the server is asked for one principal.
class Privileges::Asking {
 public:
  Asking(THD* thd, Security_context& context) : thd_(thd), own_(thd->security_ctx) {
    thd_->security_ctx = &context;
  }
  ~Asking() { thd_->security_ctx = own_; }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

 private:
  THD* const thd_;
  Security_context* const own_;
};

Privileges::~Privileges() {
  // destroy_background_thd() needs a thread without a THD.
  THD* const threads_thd = current_thd;
  set_current_thd(nullptr);
  if (thd_ != nullptr) destroy_background_thd(thd_);
  if (audit_thd_ != nullptr) destroy_background_thd(audit_thd_);
  set_current_thd(threads_thd);
}

void Privileges::note_end(const Principal& principal, my_thread_id connection) {
  if (!mysql_audit_connection_enabled()) return;
  const auto size = [](const std::string& name) { return static_cast<unsigned>(name.size()); };
  mysql_event_connection event{};
  event.event_subclass = MYSQL_AUDIT_CONNECTION_DISCONNECT;
  event.thread_id = static_cast<unsigned long>(connection);
  event.user = principal.user_.c_str();
  event.user_length = size(principal.user_);
  event.priv_user = principal.priv_user_.c_str();
  event.priv_user_length = size(principal.priv_user_);
  event.external_user = event.proxy_user = "";
  event.host = principal.host_.c_str();
  event.host_length = size(principal.host_);
  event.ip = principal.ip_.c_str();
  event.ip_length = size(principal.ip_);
  const MutexLock lock(auditing_);
  if (audit_thd_ == nullptr) audit_thd_ = create_background_thd();
  if (audit_thd_ == nullptr) return;
  mysql_audit_notify(audit_thd_, MYSQL_AUDIT_CONNECTION_CLASS, &event);
  // So that the plugins can be removed.
  mysql_audit_release(audit_thd_);
}

std::shared_ptr<Principal> Privileges::intern(const Security_context& login) {
  // No name has a line feed that the server would take for another one's.
  std::string key;
  for (const char* part : {login.user, login.host, login.ip, &login.priv_user[0],
                           &login.priv_host[0], &login.priv_role[0]}) {
    key += std::to_string(text(part).size()) + ':' + text(part);
  }
  const MutexLock lock(mutex_);
  if (auto principal = principals_.find(key)) {
    principal->refreshed_ms_ = 0;  // the account may have been dropped and made again
    return principal;
  }
  auto made = std::make_shared<Principal>(++last_id_, login);
  principals_.add(std::move(key), made);
  return made;
}

// Takes the account's global privileges anew. They are copied at a login, and the server does not
// look at them again. False: the account is gone.
bool Privileges::prepare(Principal& principal) {
  if (thd_ == nullptr) thd_ = create_background_thd();
  if (thd_ == nullptr) return false;
  const int64_t now_ms = monotonic_ms();
  if (principal.refreshed_ms_ != 0 && now_ms - principal.refreshed_ms_ < kKeepMs / 2)
    return !principal.is_gone_;
  principal.refreshed_ms_ = now_ms;
  Security_context& context = principal.context_;
  const char* const user = principal.priv_user_.c_str();
  const auto is_found = [&](const std::string& host, const std::string& ip) {
    const char* const from = host.empty() ? ip.c_str() : host.c_str();
    return release::find_account(context, user, from, ip.c_str()) &&
           principal.priv_host_ == context.priv_host;
  };
  // By the client's address, and else by the account's own name: a proxied account has other hosts,
  // and an account for the address may have been made since the login.
  principal.is_gone_ = !is_found(principal.host_, principal.ip_) &&
                       !is_found(principal.priv_host_, principal.priv_host_);
  if (principal.is_gone_) return false;
  context.user = principal.user_.c_str();
  context.host = principal.host_.empty() ? principal.ip_.c_str() : principal.host_.c_str();
  context.ip = principal.ip_.empty() ? nullptr : principal.ip_.c_str();
  context.host_or_ip = context.host;
  if (principal.role_.empty()) return true;
  const Asking asking(thd_, context);
  release::take_role(thd_, principal.role_.c_str());
  // A role that was taken away raises an error in the thread's own THD.
  if (current_thd != nullptr) current_thd->clear_error();
  return true;
}

bool Privileges::has_any(const char* database, const char* table, privilege_t wanted,
                         bool one_of_them) {
  const LEX_CSTRING db = {database, strlen(database)};
  const LEX_CSTRING name = {table, strlen(table)};
  TABLE_LIST list;
  list.init_one_table(&db, &name, &name, TL_READ);
  return !check_table_access(thd_, wanted, &list, one_of_them, 1, true);
}

// As SHOW TABLES finds out which tables it shows. A privilege on a column counts, too.
bool Privileges::sees_table(const char* database, const char* table, GRANT_INFO* grant) {
  // Its constructor leaves most of it as it was.
  memset(static_cast<void*>(grant), 0, sizeof *grant);
  fill_effective_table_privileges(thd_, grant, database, table);
  return (grant->privilege & TABLE_ACLS) != NO_ACL || has_any(database, table, TABLE_ACLS, true);
}

bool Privileges::sees(Principal& principal, const std::string& database, const std::string& table) {
  const MutexLock lock(mutex_);
  if (!prepare(principal)) return false;
  const Asking asking(thd_, principal.context_);
  GRANT_INFO grant;
  return sees_table(database.c_str(), table.c_str(), &grant);
}

// As SHOW DATABASES finds out which databases it shows.
bool Privileges::sees(Principal& principal, const std::string& database) {
  const MutexLock lock(mutex_);
  if (!prepare(principal)) return false;
  Security_context& context = principal.context_;
  const Asking asking(thd_, context);
  return (context.master_access & (DB_ACLS | SHOW_DB_ACL)) != NO_ACL ||
         acl_get_all3(&context, database.c_str(), false) != NO_ACL ||
         !check_grant_db(thd_, database.c_str());
}

SeenOfTable Privileges::seen(Principal& principal, const char* database, const char* table,
                             std::span<Field* const> columns) {
  SeenOfTable seen;
  const MutexLock lock(mutex_);
  if (!prepare(principal)) return seen;
  const Asking asking(thd_, principal.context_);
  GRANT_INFO grant;
  seen.table = sees_table(database, table, &grant);
  if (!seen.table) return seen;
  seen.all_indexes = (grant.privilege & TABLE_ACLS) != NO_ACL;
  for (Field* const column : columns) {
    const privilege_t found =
        release::column_grant(thd_, grant, database, table, column->field_name);
    seen.columns.push_back((found & COL_ACLS) != NO_ACL);
  }
  return seen;
}

bool Privileges::has_global(Principal& principal, privilege_t wanted) {
  const MutexLock lock(mutex_);
  return prepare(principal) && (principal.context_.master_access & wanted) != NO_ACL;
}

AccountRights Privileges::rights(Principal& principal, const TableNames& names) {
  const MutexLock lock(mutex_);
  AccountRights rights;
  rights.sees = rights.selects = rights.inserts = rights.updates = rights.deletes = false;
  rights.select_columns = rights.select_filters = rights.select_key = 0;
  rights.insert_columns = rights.update_columns = 0;
  if (!prepare(principal)) return rights;
  Security_context& context = principal.context_;
  const Asking asking(thd_, context);
  GRANT_INFO grant;
  rights.sees = sees_table(names.database, names.table, &grant);
  if (!rights.sees) return rights;
  rights.selects = has_any(names.database, names.table, SELECT_ACL, false);
  rights.inserts = has_any(names.database, names.table, INSERT_ACL, false);
  rights.updates = has_any(names.database, names.table, UPDATE_ACL, false);
  rights.deletes = has_any(names.database, names.table, DELETE_ACL, false);
  rights.ignores_read_only = context.check_access(PRIV_IGNORE_READ_ONLY);

  const auto column = [&](size_t i) { return names.columns[i]->field_name; };
  const auto filter = [&](size_t i) { return names.filter_columns[i]->field_name; };
  const auto part = [&](size_t i) { return names.key->key_part[i].field->field_name; };
  const size_t columns = names.columns.size();
  rights.select_columns = reach(thd_, names, grant, SELECT_ACL, columns, column);
  rights.select_filters =
      reach(thd_, names, grant, SELECT_ACL, names.filter_columns.size(), filter);
  rights.select_key = reach(thd_, names, grant, SELECT_ACL, names.key_parts, part);
  rights.insert_columns = reach(thd_, names, grant, INSERT_ACL, columns, column);
  rights.update_columns = reach(thd_, names, grant, UPDATE_ACL, columns, column);
  return rights;
}

}  // namespace hs::mariadb
