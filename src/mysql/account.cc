// SPDX-License-Identifier: GPL-2.0-only
#include "mysql/account.h"

#include <algorithm>

#include "base/clock.h"
#include "mysql/audit.h"
#include "mysql/server_session.h"
#include "sql/auth/auth_acls.h"
#include "sql/auth/auth_common.h"
#include "sql/mysqld.h"

namespace hs::mysql {
namespace {

std::string text(const LEX_CSTRING& value) {
  return value.str != nullptr ? std::string(value.str, value.length) : std::string();
}

const char* or_null(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

}  // namespace

Principal::Principal(uint64_t number, const Security_context& login,
                     const List_of_auth_id_refs& roles)
    : id(number),
      host_(text(login.host())),
      ip_(text(login.ip())),
      priv_user_(text(login.priv_user())),
      priv_host_(text(login.priv_host())) {
  // Not by its copy constructor, which leaves some of its members as the memory was.
  context_ = login;
  // A copy has no roles.
  for (const auto& [user, host] : roles) context_.activate_role(user, host, false);
}

MysqlAccount::~MysqlAccount() {
  if (limits_ != nullptr) decrease_user_connections(limits_);
  note_end(*this);
}

void MysqlAccount::show(Security_context& context) const { privileges_.show(*principal_, context); }

ActingAs::ActingAs(THD* thd, const MysqlAccount* account)
    : thd_(thd),
      own_context_(thd->security_context()),
      own_number_(thd->variables.pseudo_thread_id) {
  if (account == nullptr) return;
  account->show(context_);
  thd_->set_security_context(&context_);
  thd_->variables.pseudo_thread_id = account->connection().id;
}

ActingAs::~ActingAs() {
  thd_->variables.pseudo_thread_id = own_number_;
  thd_->set_security_context(own_context_);
}

bool MysqlAccount::sees_connections() const {
  return privileges_.has_global(*principal_, PROCESS_ACL);
}

bool MysqlAccount::ends_connections() const {
  return privileges_.has_global(*principal_, SUPER_ACL, "CONNECTION_ADMIN");
}

bool MysqlAccount::may_ask(THD* thd, enum_sql_command command) const {
  thd->set_user_connect(limits_);
  const bool exceeded = check_mqh(thd, command);
  thd->set_user_connect(nullptr);
  if (exceeded) thd->clear_error();
  return !exceeded;
}

void MysqlAccount::take_back(enum_sql_command command) const {
  mysql_mutex_lock(&LOCK_user_conn);
  // A new hour may have begun.
  if (limits_->questions != 0) --limits_->questions;
  if (command != SQLCOM_SELECT && limits_->updates != 0) --limits_->updates;
  mysql_mutex_unlock(&LOCK_user_conn);
}

// While it lives, the calling thread is in the THD with which the server is asked, for one principal.
class Privileges::Asking {
 public:
  Asking(THD* thd, Security_context& context) : entered_(thd), thd_(thd), listeners_(thd) {
    listeners_.expect();
    own_ = thd_->security_context();
    thd_->set_security_context(&context);
  }
  ~Asking() {
    thd_->set_security_context(own_);
    thd_->clear_error();
    thd_->get_stmt_da()->reset_condition_info(thd_);
    thd_->mem_root->ClearForReuse();
    listeners_.let_go();  // they may have been told of an error
  }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

 private:
  const EnteredThd entered_;
  THD* const thd_;
  Listeners listeners_;
  Security_context* own_;
};

Privileges::~Privileges() {
  if (thd_ != nullptr) ServerSession::end_thd(thd_);
}

std::shared_ptr<Principal> Privileges::intern(Security_context& login) {
  std::string key;
  const auto add = [&key](const LEX_CSTRING& part) {
    key += std::to_string(part.length) + ':' + text(part);
  };
  for (const LEX_CSTRING& part : {login.user(), login.host(), login.ip(), login.priv_user(),
                                  login.priv_host(), login.external_user(), login.proxy_user()})
    add(part);
  const List_of_auth_id_refs& roles = *login.get_active_roles();
  for (const auto& [user, host] : roles) {
    add(user);
    add(host);
  }
  const MutexLock lock(mutex_);
  if (auto principal = principals_.find(key)) {
    principal->refreshed_ms_ = 0;  // the account may have been dropped and made again
    return principal;
  }
  auto made = std::make_shared<Principal>(++last_id_, login, roles);
  principals_.add(std::move(key), made);
  return made;
}

// Takes the account's global privileges, and those of its roles, anew: they are copied at a login, and
// the server does not look at them again. False: the account is gone.
bool Privileges::prepare(Principal& principal) {
  if (thd_ == nullptr) thd_ = ServerSession::make_thd();
  if (thd_ == nullptr) return false;
  const int64_t now_ms = monotonic_ms();
  if (principal.refreshed_ms_ != 0 && now_ms - principal.refreshed_ms_ < adapter::kKeepRightsMs / 2)
    return !principal.is_gone_;
  principal.refreshed_ms_ = now_ms;
  const Asking asking(thd_, principal.context_);
  const char* const user = principal.priv_user_.c_str();
  const auto find = [&](Security_context& context, const std::string& host, const std::string& ip) {
    return !acl_getroot(thd_, &context, user, or_null(host), or_null(ip), nullptr) &&
           text(context.priv_host()) == principal.priv_host_;
  };
  // By the client's address, and else by the account's own name: a proxied account has other hosts,
  // and an account for the address may have been made since the login.
  const auto find_either = [&](Security_context& context) {
    return find(context, principal.host_, principal.ip_) ||
           find(context, principal.priv_host_, principal.priv_host_);
  };
  if (principal.context_.get_num_active_roles() == 0) {
    principal.is_gone_ = !find_either(principal.context_);
  } else {
    // Else the roles would be those that are the default now.
    Security_context probe;
    principal.is_gone_ = !find_either(probe);
    if (!principal.is_gone_) principal.context_.checkout_access_maps();
  }
  return !principal.is_gone_;
}

// The privilege is there for the table, or for any column of it. `grant`: what the server has found for it. It
// looks no further than the global privileges if those are enough, so each privilege is asked for by itself.
bool Privileges::has(const TableNames& names, Access_bitmask wanted, GRANT_INFO* grant) {
  Table_ref list(names.database.data(), names.database.size(), names.table.data(),
                 names.table.size(), names.table.c_str(), TL_READ);
  const bool has_it = !check_table_access(thd_, wanted, &list, false, 1, true);
  *grant = list.grant;
  return has_it;
}

bool Privileges::sees_table(const std::string& database, const std::string& table,
                            GRANT_INFO* grant) {
  if (check_access(thd_, SELECT_ACL, database.c_str(), &grant->privilege, nullptr, false, true))
    return false;
  if ((grant->privilege & TABLE_OP_ACLS) != 0) return true;
  Table_ref list(database.data(), database.size(), table.data(), table.size(), table.c_str(),
                 TL_READ);
  list.grant.privilege = grant->privilege;
  return !check_grant(thd_, TABLE_OP_ACLS, &list, true, 1, true);
}

bool Privileges::sees(Principal& principal, const std::string& database, const std::string& table) {
  const MutexLock lock(mutex_);
  if (!prepare(principal)) return false;
  const Asking asking(thd_, principal.context_);
  GRANT_INFO grant;
  return sees_table(database, table, &grant);
}

bool Privileges::sees(Principal& principal, const std::string& database) {
  if (is_perfschema_db(database.c_str())) return true;
  const MutexLock lock(mutex_);
  if (!prepare(principal)) return false;
  Security_context& context = principal.context_;
  const Asking asking(thd_, context);
  return (context.master_access(database) & (DB_OP_ACLS | SHOW_DB_ACL)) != 0 ||
         context.check_db_level_access(thd_, database.c_str(), database.size()) != 0 ||
         !check_grant_db(thd_, database.c_str());
}

bool Privileges::sees(Principal& principal, const std::string& database, const std::string& table,
                      const std::string& column) {
  const MutexLock lock(mutex_);
  if (!prepare(principal)) return false;
  const Asking asking(thd_, principal.context_);
  GRANT_INFO grant;
  if (check_access(thd_, SELECT_ACL, database.c_str(), &grant.privilege, nullptr, false, true))
    return false;
  return (get_column_grant(thd_, &grant, database.c_str(), table.c_str(), column.c_str()) &
          COL_ACLS) != 0;
}

bool Privileges::has_global(Principal& principal, Access_bitmask wanted, std::string_view dynamic) {
  const MutexLock lock(mutex_);
  if (!prepare(principal)) return false;
  Security_context& context = principal.context_;
  const Asking asking(thd_, context);
  return (context.master_access() & wanted) != 0 ||
         (!dynamic.empty() && context.has_global_grant(dynamic.data(), dynamic.size()).first);
}

void Privileges::show(Principal& principal, Security_context& context) {
  const MutexLock lock(mutex_);
  (void)prepare(principal);  // one that is gone has its name still
  if (thd_ == nullptr) return;
  const Asking asking(thd_, principal.context_);
  context = principal.context_;
  // A copy has no roles.
  for (const auto& [user, host] : *principal.context_.get_active_roles())
    context.activate_role(user, host, false);
  if (context.get_num_active_roles() != 0) context.checkout_access_maps();
}

// As a login, while offline_mode is on.
bool Privileges::is_kept_out(Security_context& context) {
  return mysqld_offline_mode() && (context.master_access() & SUPER_ACL) == 0 &&
         !context.has_global_grant(STRING_WITH_LEN("CONNECTION_ADMIN")).first;
}

// How many of the columns, from the first one on, the account has the privilege for.
size_t Privileges::reach(const TableNames& names, GRANT_INFO& grant, Access_bitmask wanted,
                         std::span<const std::string> columns) {
  if ((grant.privilege & wanted) == wanted) return engine::Rights::kAll;
  size_t reached = 0;
  for (; reached < columns.size(); ++reached) {
    const Access_bitmask found = get_column_grant(thd_, &grant, names.database.c_str(),
                                                  names.table.c_str(), columns[reached].c_str());
    if ((found & wanted) != wanted) break;
  }
  return reached;
}

engine::Rights Privileges::rights(Principal& principal, const TableNames& names) {
  const MutexLock lock(mutex_);
  engine::Rights rights;
  rights.sees = rights.selects = rights.inserts = rights.updates = rights.deletes = false;
  rights.select_columns = rights.select_filters = rights.select_key = 0;
  rights.insert_columns = rights.update_columns = 0;
  if (!prepare(principal)) return rights;
  const Asking asking(thd_, principal.context_);
  GRANT_INFO seen;
  rights.sees = sees_table(names.database, names.table, &seen);
  if (!rights.sees || is_kept_out(principal.context_)) return rights;
  GRANT_INFO selecting;
  GRANT_INFO inserting;
  GRANT_INFO updating;
  GRANT_INFO deleting;
  rights.selects = has(names, SELECT_ACL, &selecting);
  rights.inserts = has(names, INSERT_ACL, &inserting);
  rights.updates = has(names, UPDATE_ACL, &updating);
  rights.deletes = has(names, DELETE_ACL, &deleting);

  rights.select_columns = reach(names, selecting, SELECT_ACL, names.columns);
  rights.select_filters = reach(names, selecting, SELECT_ACL, names.filter_columns);
  rights.select_key = reach(names, selecting, SELECT_ACL, names.key);
  rights.insert_columns = reach(names, inserting, INSERT_ACL, names.columns);
  rights.update_columns = reach(names, updating, UPDATE_ACL, names.columns);
  return rights;
}

}  // namespace hs::mysql
