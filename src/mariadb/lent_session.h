// SPDX-License-Identifier: GPL-2.0-only
// A session while triggers run in it. They see what an SQL session has, and the plugin's session is
// that of many clients: what a trigger leaves behind in it is taken away, so that each request
// finds the session as new.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include "adapter/remembered_bytes.h"
#include "mariadb/account.h"

namespace hs::mariadb {

class LentSession {
 public:
  explicit LentSession(THD* thd) : thd_(thd) {}
  LentSession(const LentSession&) = delete;
  LentSession& operator=(const LentSession&) = delete;

  // The server may load and run what users wrote until take_back(). Its USER() is `principal`, which
  // must live until then. Null: that of the session.
  void lend(const Principal* principal);
  // A trigger is about to run.
  void note_trigger() {
    if (!was_used_) remember_variables();
  }
  // Takes away user variables, temporary tables and locks of GET_LOCK(). No table may be locked.
  // True: a trigger has set variables of the session. Without effect if it was not lent.
  bool take_back();

 private:
  void remember_variables();
  bool variables_have_changed() const;
  void forget_user_variables();

  THD* const thd_;
  bool is_lent_ = false;
  bool was_used_ = false;
  LEX_CSTRING database_{nullptr, 0};  // the THD's before
  const char* user_ = nullptr;        // likewise; null: not changed
  const char* host_ = nullptr;
  adapter::RememberedBytes variables_, plugin_variables_;
};

}  // namespace hs::mariadb
