// SPDX-License-Identifier: GPL-2.0-only
// The tables that a change of a parent row reaches through foreign keys.
//
// InnoDB checks and cascades by itself, but relies on the SQL layer for two things: that nobody
// alters a child meanwhile (a metadata lock), and that a child it cascades into is open (for its
// generated columns). The SQL layer does it in prepare_fk_prelocking_list() (sql_base.cc); this is
// the same for a table that stays open.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <deque>
#include <string>

namespace hs::mariadb {

class ForeignKeyChildren {
 public:
  // Opens the children of `parent`, and theirs, as far as updates and deletes cascade, behind
  // `parent` in the list that lock_tables() goes through. False: one cannot be opened, with the
  // error raised in the THD.
  bool open(THD* thd, TABLE_LIST* parent);

  // After open() failed: whether it may succeed when all tables were closed. A child was renamed
  // after its name was found, or somebody who has a child waits for the parent.
  static bool may_open_again(THD* thd);

  // Whether these are still all tables that a change of `parent` reaches. False also when that
  // cannot be found out for lack of memory, with the error raised in the THD.
  bool complete(THD* thd, TABLE* parent) const;

  // The tables are gone (closed by the session).
  void forget() { children_.clear(); }

  // Tables to be locked with the parent, which counts, too.
  uint count() const { return static_cast<uint>(children_.size()) + 1; }

  // Whether somebody waits for one of them.
  bool somebody_waits() const;

 private:
  struct Child {
    std::string database, table;
    TABLE_LIST list;
  };

  bool has_children_of(THD* thd, TABLE* parent) const;
  bool open_children_of(THD* thd, TABLE* parent);
  bool open_child(THD* thd, const FOREIGN_KEY_INFO& key);
  bool has(const FOREIGN_KEY_INFO& key, thr_lock_type lock) const;

  std::deque<Child> children_;  // stays where it is: tables point to their list
  TABLE_LIST* last_ = nullptr;
};

}  // namespace hs::mariadb
