// SPDX-License-Identifier: GPL-2.0-only
// What the requests of one session are for the accounts that make them: counted in their limits of
// an hour, and told to the server's audit plugins. Used by the thread that the session is in.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <vector>

#include "adapter/counted_requests.h"
#include "mariadb/account.h"

namespace hs::mariadb {

class AccountUse {
 public:
  // Counts a request. False: the account has made as many as it may in this hour. The account must
  // live until the request is taken back or forgotten. May throw std::bad_alloc.
  bool count(THD* thd, const MariaAccount& account, enum_sql_command command);
  // The last request that was counted, or each since forget_counted(), will be executed again.
  void take_back_last() { counted_.take_back_last(); }
  void take_back_all() { counted_.take_back_all(); }
  void forget_counted() { counted_.forget(); }

  // Tells the audit plugins that want it that the account touches the table: once in a batch.
  void note_table(THD* thd, const MariaAccount& account, const TABLE_SHARE& table, bool writes);
  // The tables that are open may go.
  void forget_tables() { touched_.clear(); }

 private:
  struct Touched {
    uint64_t principal;
    const TABLE_SHARE* table;
    bool writes;
    auto operator<=>(const Touched&) const = default;
  };
  adapter::CountedRequests<MariaAccount, enum_sql_command> counted_;
  std::vector<Touched> touched_;  // sorted
};

}  // namespace hs::mariadb
