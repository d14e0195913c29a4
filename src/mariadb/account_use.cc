// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/account_use.h"

#include <algorithm>

namespace hs::mariadb {

bool AccountUse::count(THD* thd, const MariaAccount& account, enum_sql_command command) {
  if (!account.is_limited()) return true;
  counted_.add(account, command);
  return account.may_ask(thd, command);
}

void AccountUse::note_table(THD* thd, const MariaAccount& account, const TABLE_SHARE& table,
                            bool writes) {
  if (!MariaAccount::tables_are_audited()) return;
  const Touched touched{account.principal().id, &table, writes};
  const auto place = std::lower_bound(touched_.begin(), touched_.end(), touched);
  if (place != touched_.end() && *place == touched) return;
  touched_.insert(place, touched);
  account.note_table(thd, table, writes);
}

}  // namespace hs::mariadb
