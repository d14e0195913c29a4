// SPDX-License-Identifier: GPL-2.0-only
// The server's accounts: who has logged in, and what each may do with a table.
//
// What an account may do is asked of the server each time, and never computed here. The server's own
// caches of grants are no part of it, since they can dangle.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <sql_connect.h>
#include <sql_parse.h>

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
#include "mariadb/user_statistics.h"

namespace hs::mariadb {

class Privileges;

// An account with the address of a client, and its default role. Shared by all logins that are equal
// in these. What is not const is used by Privileges only.
class Principal {
 public:
  // `login`: as acl_authenticate() has filled it.
  Principal(uint64_t number, const Security_context& login);
  Principal(const Principal&) = delete;
  Principal& operator=(const Principal&) = delete;

  const uint64_t id;  // of no other principal, ever

  // As USER() has them.
  const char* user() const { return user_.c_str(); }
  const char* host() const { return host_.empty() ? ip_.c_str() : host_.c_str(); }

 private:
  friend class Privileges;
  friend class MariaAccount;
  const std::string user_, host_, ip_, priv_user_, priv_host_, role_;
  Security_context context_;  // points to the strings above
  int64_t refreshed_ms_ = 0;
  bool is_gone_ = false;  // the account was dropped
};

// One login.
class MariaAccount final : public engine::Account {
 public:
  // `connection`: its number for the server. Takes over `limits`, the server's count of the
  // account's connections and queries; null: the account has no limits. `privileges` must outlive
  // it.
  MariaAccount(Privileges& privileges, std::shared_ptr<Principal> principal,
               my_thread_id connection, USER_CONN* limits, bool tls);
  ~MariaAccount() override;

  void note(const engine::AccountWork& work) const override;
  bool sees_connections() const override;
  bool ends_connections() const override;

  Principal& principal() const { return *principal_; }

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

  // MAX_STATEMENT_TIME of the account at the login; 0: it has none.
  uint64_t most_us() const { return most_us_; }

  static bool tables_are_audited();
  // Tells the audit plugins that the account touches the table.
  void note_table(THD* thd, const TABLE_SHARE& table, bool writes) const;

 private:
  user_statistics::Whose whose() const;

  Privileges& privileges_;
  const std::shared_ptr<Principal> principal_;
  const my_thread_id connection_;
  USER_CONN* const limits_;
  const uint64_t most_us_;
  const time_t came_;  // 0: the server's user statistics do not count the connection
};

// What the account may do, and with the whole server.
struct AccountRights : engine::Rights {
  bool ignores_read_only = false;
};

// Names of a table, and of what a cursor uses of it.
struct TableNames {
  const char* database;
  const char* table;
  std::span<Field*const> columns, filter_columns;
  const KEY* key;
  size_t key_parts;
};

// What an account sees of a table that it sees.
struct SeenOfTable {
  bool table = false;
  bool all_indexes = false;   // else only those of which it sees every column
  std::vector<bool> columns;  // by their positions
};

// Any thread. One question to the server at a time: each is answered in a few microseconds, and
// sessions keep the answers.
class Privileges {
 public:
  // How old the rights of an account may be that a session goes by.
  static constexpr int64_t kKeepMs = adapter::kKeepRightsMs;

  Privileges() = default;
  ~Privileges();
  Privileges(const Privileges&) = delete;
  Privileges& operator=(const Privileges&) = delete;

  // The principal of this login.
  std::shared_ptr<Principal> intern(const Security_context& login);

  // Whether there is such a table for the account, as far as its privileges say.
  bool sees(Principal& principal, const std::string& database, const std::string& table);
  // The same for a database.
  bool sees(Principal& principal, const std::string& database);
  // As SHOW COLUMNS and SHOW INDEX find out what they show.
  SeenOfTable seen(Principal& principal, const char* database, const char* table,
                   std::span<Field* const> columns);
  AccountRights rights(Principal& principal, const TableNames& names);
  // Whether it has one of these privileges, which are global.
  bool has_global(Principal& principal, privilege_t wanted);

  // Tells the server's audit plugins that a login has ended.
  void note_end(const Principal& principal, my_thread_id connection);

 private:
  class Asking;
  bool prepare(Principal& principal) HS_REQUIRES(mutex_);
  bool sees_table(const char* database, const char* table, GRANT_INFO* grant) HS_REQUIRES(mutex_);
  bool has_any(const char* database, const char* table, privilege_t wanted, bool one_of_them)
      HS_REQUIRES(mutex_);

  Mutex mutex_;
  THD* thd_ HS_GUARDED_BY(mutex_) = nullptr;  // in no list of the server's
  uint64_t last_id_ HS_GUARDED_BY(mutex_) = 0;
  adapter::SharedByKey<Principal> principals_ HS_GUARDED_BY(mutex_);

  Mutex auditing_;  // apart from the other one: an audit plugin may write to a slow disk
  THD* audit_thd_ HS_GUARDED_BY(auditing_) = nullptr;
};

using KeptRights = adapter::KeptRights<AccountRights>;

}  // namespace hs::mariadb
