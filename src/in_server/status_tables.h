// SPDX-License-Identifier: GPL-2.0-only
// The plugin's tables in INFORMATION_SCHEMA. Each is a plugin of its own to the server, which may
// load it without the others. While no network server runs they are empty. Their columns and rows are in
// server/tables.h.
#pragma once

#include "seam/library.h"

namespace hs::in_server {

// Library::describe_table
bool describe_table(seam::Table table, void* schema_table);

}  // namespace hs::in_server
