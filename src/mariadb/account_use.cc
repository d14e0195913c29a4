// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/account_use.h"

#include <algorithm>

namespace hs::mariadb {

bool AccountUse::count(THD* thd, const MariaAccount& account, enum_sql_command command) {
  if (!account.is_limited()) return true;
  counted_.push_back({&account, command});
  return account.may_ask(thd, command);
}

void AccountUse::take_back_last() {
  if (counted_.empty()) return;
  counted_.back().account->take_back(counted_.back().command);
  counted_.pop_back();
}

void AccountUse::take_back_all() {
  while (!counted_.empty()) take_back_last();
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
