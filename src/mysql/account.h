// SPDX-License-Identifier: GPL-2.0-only
// The server's accounts: who has logged in, and what each may do with a table.
//
// What an account may do is asked of the server each time, and never computed here.
#pragma once

#include "mysql/server_headers.h"
// (before anything else)
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapter/kept_rights.h"
#include "adapter/shared_by_key.h"
#include "base/mutex.h"
#include "engine/account.h"
#include "sql/auth/sql_security_ctx.h"
#include "sql/sql_connect.h"

namespace hs::mysql {

class Privileges;

// An account with the address of a client, and the roles that its login has activated. Shared by all
// logins that are equal in these. What is not const is used by Privileges only.
class Principal {
 public:
  // `login`: as acl_authenticate() has filled it.
  Principal(uint64_t number, const Security_context& login, const List_of_auth_id_refs& roles);
  Principal(const Principal&) = delete;
  Principal& operator=(const Principal&) = delete;

  const uint64_t id;  // of no other principal, ever

  // As USER() has them.
  LEX_CSTRING user() const { return context_.user(); }
  LEX_CSTRING host() const {
    const std::string& name = host_.empty() ? ip_ : host_;
    return {name.data(), name.size()};
  }

 private:
  friend class Privileges;
  const std::string host_, ip_, priv_user_, priv_host_;
  Security_context context_;
  int64_t refreshed_ms_ = 0;
  bool is_gone_ = false;  // the account was dropped
};

// A connection as the server knows it since its login.
struct LoggedIn {
  my_thread_id id;  // CONNECTION_ID()
  enum_vio_type kind;
};

// One login.
class MysqlAccount final : public engine::Account {
 public:
  // Takes over `limits`, the server's count of the account's connections and queries; null: the
  // account has no limits.
  MysqlAccount(Privileges& privileges, std::shared_ptr<Principal> principal, LoggedIn connection,
               USER_CONN* limits)
      : privileges_(privileges),
        principal_(std::move(principal)),
        connection_(connection),
        limits_(limits) {}
  ~MysqlAccount() override;

  bool sees_connections() const override;
  bool ends_connections() const override;

  Principal& principal() const { return *principal_; }
  const LoggedIn& connection() const { return connection_; }
  // Makes the context, which must be new, the account's, with its privileges.
  void show(Security_context& context) const;

  // Whether the account may make only so many requests in an hour.
  bool is_limited() const {
    return limits_ != nullptr &&
           (limits_->user_resources.questions != 0 || limits_->user_resources.updates != 0);
  }
  // Counts one request of this kind. False: the account has made as many as it may. Only if it is
  // limited.
  bool may_ask(THD* thd, enum_sql_command command) const;
  // The request is not to be counted after all.
  void take_back(enum_sql_command command) const;

 private:
  Privileges& privileges_;
  const std::shared_ptr<Principal> principal_;
  const LoggedIn connection_;
  USER_CONN* const limits_;
};

// While it lives, the account is what the THD calls the current user, with its privileges, roles and
// CONNECTION_ID(). Null: that is the THD's own. USER() stays as it is.
class ActingAs {
 public:
  ActingAs(THD* thd, const MysqlAccount* account);
  ~ActingAs();
  ActingAs(const ActingAs&) = delete;
  ActingAs& operator=(const ActingAs&) = delete;

 private:
  THD* const thd_;
  Security_context* const own_context_;
  const my_thread_id own_number_;
  Security_context context_;
};

// Names of a table, and of what a cursor uses of it.
struct TableNames {
  const std::string& database;
  const std::string& table;
  std::span<const std::string> columns, filter_columns, key;
};

// Any thread. One question to the server at a time: each is answered in a few microseconds, and
// sessions keep the answers.
class Privileges {
 public:
  Privileges() = default;
  ~Privileges();
  Privileges(const Privileges&) = delete;
  Privileges& operator=(const Privileges&) = delete;

  // The principal of this login.
  std::shared_ptr<Principal> intern(Security_context& login);

  // Whether there is such a table for the account, as far as its privileges say. As SHOW TABLES.
  bool sees(Principal& principal, const std::string& database, const std::string& table);
  // As SHOW DATABASES.
  bool sees(Principal& principal, const std::string& database);
  // As SHOW COLUMNS.
  bool sees(Principal& principal, const std::string& database, const std::string& table,
            const std::string& column);
  engine::Rights rights(Principal& principal, const TableNames& names);
  // Whether it has one of these privileges, which are global, or the dynamic one, if one is named.
  bool has_global(Principal& principal, Access_bitmask wanted, std::string_view dynamic = {});
  // See MysqlAccount::show().
  void show(Principal& principal, Security_context& context);

 private:
  class Asking;
  bool prepare(Principal& principal) HS_REQUIRES(mutex_);
  static bool is_kept_out(Security_context& context);
  bool sees_table(const std::string& database, const std::string& table, GRANT_INFO* grant)
      HS_REQUIRES(mutex_);
  bool has(const TableNames& names, Access_bitmask wanted, GRANT_INFO* grant) HS_REQUIRES(mutex_);
  size_t reach(const TableNames& names, GRANT_INFO& grant, Access_bitmask wanted,
               std::span<const std::string> columns) HS_REQUIRES(mutex_);

  Mutex mutex_;
  THD* thd_ HS_GUARDED_BY(mutex_) = nullptr;  // in no list of the server's
  uint64_t last_id_ HS_GUARDED_BY(mutex_) = 0;
  adapter::SharedByKey<Principal> principals_ HS_GUARDED_BY(mutex_);
};

using KeptRights = adapter::KeptRights<engine::Rights>;

}  // namespace hs::mysql
