// SPDX-License-Identifier: GPL-2.0-only
// The database server's own TLS: certificates, policy and who must use it are the same as for SQL.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include "net/tls_context.h"

namespace hs::mariadb {

// Lives as long as the plugin.
net::TlsContext& server_tls();

}  // namespace hs::mariadb
