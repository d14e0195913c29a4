// SPDX-License-Identifier: GPL-2.0-only
#include "mysql/mappings.h"

#include "mysql/log.h"

namespace hs::mysql {

mapping::Directory& directory() {
  static mapping::Directory directory(log_complaint);
  return directory;
}

}  // namespace hs::mysql
