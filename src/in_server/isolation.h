// SPDX-License-Identifier: GPL-2.0-only
// The isolation levels in the servers' words.
#pragma once

#include "server_words.h"
// (before anything else)
#include "base/isolation.h"

namespace hs::in_server {

inline enum_tx_isolation isolation_of(Isolation isolation) {
  switch (isolation) {
    case Isolation::kReadUncommitted:
      return ISO_READ_UNCOMMITTED;
    case Isolation::kReadCommitted:
      return ISO_READ_COMMITTED;
    case Isolation::kRepeatableRead:
      return ISO_REPEATABLE_READ;
    case Isolation::kSerializable:
      return ISO_SERIALIZABLE;
    case Isolation::kDefault:
      break;
  }
  return usual_isolation();
}

}  // namespace hs::in_server
