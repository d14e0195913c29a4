// SPDX-License-Identifier: GPL-2.0-only
#include "mysql/engine_errors.h"

namespace hs::mysql {

int number_on_the_wire(int number) {
  constexpr int kOutOfMemory = 128, kInternal = 122, kCrashed = 126, kLockWait = 146,
                kReadOnly = 165, kAborted = 188, kDiskFull = 189, kDepthExceeded = 193,
                kTablespaceMissing = 194;
  switch (number) {
    case HA_ERR_INNODB_READ_ONLY:
    case HA_ERR_INNODB_FORCED_RECOVERY:
      return kReadOnly;
    case HA_ERR_TEMP_FILE_WRITE_FAILURE:
    case HA_ERR_DISK_FULL_NOWAIT:
      return kDiskFull;
    case HA_ERR_FK_DEPTH_EXCEEDED:
      return kDepthExceeded;
    case HA_ERR_SE_OUT_OF_MEMORY:
      return kOutOfMemory;
    case HA_ERR_TABLE_CORRUPT:
      return kCrashed;
    case HA_ERR_QUERY_INTERRUPTED:
      return kAborted;
    case HA_ERR_TABLESPACE_MISSING:
      return kTablespaceMissing;
    case HA_ERR_NO_WAIT_LOCK:
      return kLockWait;
    default:
      break;
  }
  return number < HA_ERR_INNODB_READ_ONLY ? number : kInternal;
}

}  // namespace hs::mysql
