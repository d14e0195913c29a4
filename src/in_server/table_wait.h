// SPDX-License-Identifier: GPL-2.0-only
// For how long a session waits for tables.
#pragma once

#include "server_words.h"
// (before anything else)
#include "adapter/lock_waits.h"
#include "base/temporarily.h"

namespace hs::in_server {

// While it lives, the session waits for tables as its LockWaits say. Elsewhere the usual time
// applies, for example in a commit that a backup holds off.
class TableWait : Temporarily<ulong> {
 public:
  // Of the adapter's ServerSession, which is in the calling thread.
  template <class Session>
  explicit TableWait(Session& session)
      : Temporarily(session.thd()->variables.lock_wait_timeout,
                    session.lock_waits().wait_s(adapter::LockWaits::Lock::kTable)) {}
};

}  // namespace hs::in_server
