// SPDX-License-Identifier: GPL-2.0-only
// What the server's audit plugins and components are told of clients, beside what the server tells them of
// logins: which tables are used, and that a connection has ended. Both are told under the number that the
// connection had when it logged in.
#pragma once

#include "mysql/server_headers.h"
// (before anything else)
#include <optional>
#include <set>
#include <string>
#include <tuple>

namespace hs::mysql {

class MysqlAccount;

// Those that a THD has told something. It keeps each plugin, and refers to each component, until it lets go
// of them: before that they cannot be removed. Used by the thread that the THD is in.
class Listeners {
 public:
  explicit Listeners(THD* thd) : thd_(thd) {}
  Listeners(const Listeners&) = delete;
  Listeners& operator=(const Listeners&) = delete;

  // The THD may tell something from here on.
  void expect() { refers_ |= are_components(); }
  void let_go() {
    mysql_audit_release(thd_);
    if (refers_ || are_components()) let_go_of_components();
  }

 private:
  static bool are_components();
  void let_go_of_components();

  THD* const thd_;
  bool refers_ = false;  // perhaps, to components
};

// Of the requests of one session. Used by the thread that the session is in.
class TableAudit {
 public:
  explicit TableAudit(THD* thd) : thd_(thd), listeners_(thd) {}
  TableAudit(const TableAudit&) = delete;
  TableAudit& operator=(const TableAudit&) = delete;

  // Tells that a request of this kind is about to use the table, once in a batch for each connection. Null:
  // the session's own user does. False: it was refused, and the error is raised in the THD; it is told
  // again with the next such request. May throw std::bad_alloc.
  bool note(const MysqlAccount* account, const std::string& database, const std::string& table,
            enum_sql_command command) {
    if (!is_heard_) begin_batch();
    return !*is_heard_ || tell_once(account, database, table, command);
  }
  // The batch is over. What listens may be removed.
  void end_batch() {
    is_heard_.reset();
    told_.clear();
    listeners_.let_go();
  }

 private:
  void begin_batch();
  bool tell_once(const MysqlAccount* account, const std::string& database, const std::string& table,
                 enum_sql_command command);
  bool tell(const MysqlAccount* account, const std::string& database, const std::string& table,
            enum_sql_command command);

  THD* const thd_;
  Listeners listeners_;
  std::optional<bool> is_heard_;  // in this batch; none: nobody has looked yet
  // The connection, the kind of use, database, table.
  std::set<std::tuple<my_thread_id, unsigned long, std::string, std::string>> told_;
};

// Any thread. Tells that the connection has ended that had logged in to the account.
void note_end(const MysqlAccount& account);

}  // namespace hs::mysql
