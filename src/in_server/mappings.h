// SPDX-License-Identifier: GPL-2.0-only
// The names by which clients of other protocols reach the tables of this server.
#pragma once

#include "mapping/directory.h"

namespace hs::in_server {

mapping::Directory& directory();

}  // namespace hs::in_server
