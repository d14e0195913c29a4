// SPDX-License-Identifier: GPL-2.0-only
// A table's definition, held while it is looked at, and the texts that describe it. They are those
// of INFORMATION_SCHEMA's tables COLUMNS, STATISTICS and TABLES.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <optional>
#include <string>
#include <vector>

#include "mariadb/account.h"

namespace hs::mariadb {

using DescriptionText = std::optional<std::string>;  // none: NULL
using DescriptionRow = std::vector<DescriptionText>;

// Memory that the server takes for a THD's work is of the arena as long as it lives, and the THD's
// own memory is not touched.
class OwnArena {
 public:
  explicit OwnArena(THD* thd);
  ~OwnArena();
  OwnArena(const OwnArena&) = delete;
  OwnArena& operator=(const OwnArena&) = delete;

 private:
  THD* const thd_;
  MEM_ROOT root_;
  Query_arena arena_, replaced_;
  Query_arena* const statements_;
};

// Takes the metadata lock that SHOW takes, which waits for no DDL that itself waits, and gives it
// back at its end, with all that it was taken for. Tables that the THD has open stay as they are.
class HeldDefinition {
 public:
  explicit HeldDefinition(THD* thd) : thd_(thd), locked_before_(thd->mdl_context.mdl_savepoint()) {}
  ~HeldDefinition();
  HeldDefinition(const HeldDefinition&) = delete;
  HeldDefinition& operator=(const HeldDefinition&) = delete;

  enum class Lock : uint8_t { kTaken, kRefused, kFailed };
  // kRefused: another session holds the lock and `waits` is false. kFailed: an error is raised; with
  // `waits`, also after lock_wait_timeout. The names are as filed, and must outlive this.
  Lock lock(const std::string& database, const std::string& table, bool waits);
  // After kTaken. `flags`: GTS_TABLE, GTS_VIEW. False: an error is raised.
  bool find(uint flags);
  // After find(). May be of a view.
  const TABLE_SHARE& share() const { return *share_; }
  // After find(GTS_TABLE): the table with fields and one record, and with a handler that is not open
  // or none. Null: an error is raised.
  TABLE* make_table(bool with_handler);

 private:
  THD* const thd_;
  const MDL_savepoint locked_before_;
  TABLE_LIST list_;
  TABLE_SHARE* share_ = nullptr;
  bool has_table_ = false;
  TABLE table_;
};

// `seen`: what an account sees of it; null: all.
std::vector<DescriptionRow> columns_of(TABLE& table, const SeenOfTable* seen);
// The table must have a handler.
std::vector<DescriptionRow> indexes_of(const TABLE& table, const SeenOfTable* seen);
std::string comment_of(const TABLE_SHARE& share);

}  // namespace hs::mariadb
