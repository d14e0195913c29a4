// SPDX-License-Identifier: GPL-2.0-only
// The tables that a change of a parent row reaches through foreign keys.
//
// InnoDB checks and cascades by itself, but relies on the SQL layer for two things. No other
// connection may alter a child meanwhile (a metadata lock). And a child that it cascades into must
// be open (for its generated columns). The SQL layer does this in prepare_fk_prelocking_list()
// (sql_base.cc). This class does it for a table that stays open.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace hs::mariadb {

// How a change of `events` (bits of trg2bit()) locks the child table of `key`.
thr_lock_type lock_of_child(const FOREIGN_KEY_INFO& key, uint8 events);

// Whether `has` is true of all foreign keys that refer to `parent`. False, too, when there is no
// memory to find out; the error is then raised in the THD.
bool all_referring_keys(THD* thd, TABLE* parent,
                        const std::function<bool(const FOREIGN_KEY_INFO&)>& has);

class ForeignKeyChildren {
 public:
  // Opens the children of `parent`, and their children, as far as updates and deletes cascade. They
  // are put behind `parent` in the list that lock_tables() goes through. False: one cannot be
  // opened, and the error is raised in the THD.
  bool open(THD* thd, TABLE_LIST* parent);

  // After open() failed: whether it may succeed once all tables are closed. True when a child was
  // renamed after its name was found, or when a connection that has a child waits for the parent.
  static bool may_open_again(THD* thd);

  // Whether these are still all tables that a change of `parent` reaches. False, too, when there is
  // no memory to find out; the error is then raised in the THD.
  bool complete(THD* thd, TABLE* parent) const;

  // The tables are gone (closed by the session).
  void forget() { children_.clear(); }

  // How many tables are locked together: the children and the parent.
  uint count() const { return static_cast<uint>(children_.size()) + 1; }

  // Whether another connection waits for one of the children.
  bool is_waited_for() const;
  // Appends their metadata locks.
  void list_locks(std::vector<MDL_ticket*>& locks) const;

 private:
  struct Child {
    std::string database, table;
    TABLE_LIST list;
  };

  bool has_children_of(THD* thd, TABLE* parent) const;
  bool open_children_of(THD* thd, TABLE* parent);
  bool open_child(THD* thd, const FOREIGN_KEY_INFO& key);
  bool has(const FOREIGN_KEY_INFO& key, thr_lock_type lock) const;

  std::deque<Child> children_;  // its elements never move: tables point to their list
  TABLE_LIST* last_ = nullptr;
};

}  // namespace hs::mariadb
