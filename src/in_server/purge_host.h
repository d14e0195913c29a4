// SPDX-License-Identifier: GPL-2.0-only
// The server, as the purge of expired rows sees it.
#pragma once

#include <memory>
#include <string_view>

#include "adapter/purge.h"

namespace hs::in_server {

std::unique_ptr<adapter::PurgeHost> make_purge_host();

// --- what each adapter says of its server ---

// Why it is another server that deletes them; empty: it is this one.
std::string_view reason_to_leave_rows();

// Whether there is such a table, and it is no view. The session is the adapter's, in the calling thread.
bool is_base_table(engine::Session& session, const mapping::TableName& name);

}  // namespace hs::in_server
