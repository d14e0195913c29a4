// SPDX-License-Identifier: GPL-2.0-only
#include "in_server/mappings.h"

#include "in_server/log.h"

namespace hs::in_server {

mapping::Directory& directory() {
  static mapping::Directory directory(log_complaint);
  return directory;
}

}  // namespace hs::in_server
