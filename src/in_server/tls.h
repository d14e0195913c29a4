// SPDX-License-Identifier: GPL-2.0-only
// The database server's own TLS: certificates, policy and who must use it are the same as for SQL.
#pragma once

#include "net/tls_context.h"

namespace hs::in_server {

// Each adapter has it. Lives as long as the plugin.
net::TlsContext& server_tls();

}  // namespace hs::in_server
