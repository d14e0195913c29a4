// SPDX-License-Identifier: GPL-2.0-only
// USER_STATISTICS and CLIENT_STATISTICS: what the server counts for each user and each client's host
// while `userstat` is on. It counts by the THD of a connection; a connection here has none, so its
// work is added to the same entries. Any thread; each call takes the server's mutex of them.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include "engine/account.h"

namespace hs::mariadb::user_statistics {

// As USER() has them; the name or the address of the host.
struct Whose {
  const char* user;
  const char* host;
};

// False: nothing is counted, and the others need not be called.
bool wanted();

void add_connection(Whose whose, bool tls);
// One that was added has ended after so many seconds.
void end_connection(Whose whose, time_t seconds);
void add_work(Whose whose, const engine::AccountWork& work);
// A login has failed, with this THD: counted where the user is known already, as the server does.
void add_denied(THD* thd);

}  // namespace hs::mariadb::user_statistics
