// SPDX-License-Identifier: GPL-2.0-only
// A login by the server's own acl_authenticate(): hosts, locks, roles, limits, TLS requirements and
// every authentication plugin are the server's.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include "base/result.h"
#include "engine/account.h"
#include "mariadb/account.h"

namespace hs::mariadb {

// On a thread with no session in it. kUnauthorized, whatever the reason: the server's error log, its
// host cache and its general log have it, as for an SQL connection.
Result<engine::AccountPtr> log_in(const engine::Credentials& credentials, Privileges& privileges);

}  // namespace hs::mariadb
