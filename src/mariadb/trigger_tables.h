// SPDX-License-Identifier: GPL-2.0-only
// All that the triggers of one table use: the tables that they read and write, those tables'
// triggers and the children that their foreign keys cascade into, views, functions and procedures.
//
// SQL opens and locks all of it before a statement (it "prelocks"), so that the statements of
// triggers find it open. This class does that with the server's own functions, for a cursor whose
// table stays open: what was found is kept, and locked again for each statement. It is the
// statement's LEX that has it, so each cursor has a LEX of its own.
//
// Used by the thread that the session is in.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <vector>

#include "engine/cursor.h"

namespace hs::mariadb {

class TriggerTables {
 public:
  explicit TriggerTables(THD* thd);
  // The tables may be closed or not.
  ~TriggerTables();
  TriggerTables(const TriggerTables&) = delete;
  TriggerTables& operator=(const TriggerTables&) = delete;

  // Opens `table`, and all that changes of it may use. It must live as long as this object. False:
  // it failed, and the error is raised in the THD. What was opened until then is in front of
  // THD::open_tables.
  bool open(TABLE_LIST* table);

  // Whether changes come out as by SQL: triggers write only what can be undone, and no table whose
  // changes need more than its row.
  bool can_be_served() const;
  // Whether another connection waits for something of it but `table`.
  bool is_waited_for() const;
  // Appends the metadata locks of all that, too.
  void list_locks(std::vector<MDL_ticket*>& locks) const;
  // Whether a table that triggers name did not exist. It may be made at any time.
  bool lacks_tables() const { return lacks_tables_; }
  // Whether foreign keys still lead to these tables only: one may have been added, for which the
  // table that it refers to is not locked. False, too, when there is no memory to find out.
  bool is_complete() const;
  // The protection against backups that changes need.
  enum_mdl_type protection_type() const;

  // Locks everything for one statement, and makes it the THD's statement. False: it failed, and the
  // error is raised. Call leave() in either case.
  bool lock(engine::Access access);
  // After the statement was kept or undone, and before its tables are unlocked.
  void leave();
  bool is_locked() const { return outer_ != nullptr; }

 private:
  void hide_other_tables();
  void show_other_tables();

  THD* const thd_;
  MEM_ROOT memory_;  // of the LEX
  Query_arena arena_;
  LEX lex_;
  TABLE_LIST* table_ = nullptr;
  uint count_ = 0;
  bool lacks_tables_ = false;
  // These tables are a piece of THD::open_tables without gaps.
  TABLE* first_ = nullptr;
  TABLE* last_ = nullptr;
  // During a statement:
  LEX* outer_ = nullptr;
  TABLE* head_ = nullptr;  // of the whole list, and what follows the piece in it
  TABLE* tail_ = nullptr;
};

}  // namespace hs::mariadb
