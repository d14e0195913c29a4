// SPDX-License-Identifier: GPL-2.0-only
// From the values of the system variables to what the network server is started with and told
// later. One thread at a time.
#pragma once

#include "mysql/server_headers.h"
// (before anything else)
#include <optional>
#include <string>
#include <string_view>

#include "exec/secret.h"
#include "server/own_places.h"
#include "server/port_settings.h"
#include "server/server.h"

namespace hs::mysql {

struct Secrets {
  server::PortSecret read{"handlersocket_plain_secret"};
  server::PortSecret write{"handlersocket_plain_secret_wr"};  // not set: that of the read port
};
// By which read_configuration() goes.
extern Secrets secrets;

// Takes the secrets from the variables, and from the files that the variables name. From then on
// the variables hide them, and where they were there are asterisks. That may be the server's command
// line. False: *error is one sentence.
bool take_secrets(std::string* error);
// Undoes it, when the plugin ends: its file may stay loaded and be used again.
void forget_secrets();
// What a variable shows for a secret; none: null, the variable is unset.
char* hidden_form(const std::optional<exec::Secret>& secret);

// Of the variables that may change at run time, but for those with a meaning of their own.
server::Settings read_settings();
// Only the numbers of threads.
server::Config read_threads();
// The whole. Empty: *error says in one sentence what is wrong.
std::optional<server::Config> read_configuration(std::string* error);
// Where the database listens.
server::OwnPlaces own_places();

int64_t in_ns(double seconds);

}  // namespace hs::mysql
