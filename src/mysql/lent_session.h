// SPDX-License-Identifier: GPL-2.0-only
// A session while triggers run in it. They see what an SQL session has, and the plugin's session is
// that of many clients: what a trigger leaves behind in it is taken away, so that each request
// finds the session as new.
#pragma once

#include "mysql/server_headers.h"
// (before anything else)
#include <optional>
#include <string>

#include "adapter/remembered_bytes.h"
#include "mysql/account.h"

namespace hs::mysql {

class LentSession {
 public:
  explicit LentSession(THD* thd) : thd_(thd) {}
  LentSession(const LentSession&) = delete;
  LentSession& operator=(const LentSession&) = delete;

  // The server may run triggers until take_back(). Their USER() is `principal`, which must live until
  // then. Null: that of the session.
  void lend(const Principal* principal);
  // Takes away user variables, temporary tables and locks of GET_LOCK(). No table may be open.
  // True: a trigger has set variables of the session. Without effect if it was not lent.
  bool take_back();

 private:
  void remember_variables();
  bool variables_have_changed() const;
  void forget_user_variables();

  struct Name {
    std::string user;
    LEX_CSTRING host;
  };

  THD* const thd_;
  bool is_lent_ = false;
  std::optional<Name> own_name_;  // of the session; none: it is not changed
  adapter::RememberedBytes variables_, plugin_variables_;
};

}  // namespace hs::mysql
