// From the values of the system variables to what the network server is started with and told
// later. One thread at a time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "exec/secret.h"
#include "server/port_settings.h"
#include "server/server.h"

namespace hs::adapter {

struct Secrets {
  server::PortSecret read{"handlersocket_plain_secret"};
  server::PortSecret write{"handlersocket_plain_secret_wr"};  // not set: that of the read port
};
// By which read_configuration() goes.
extern Secrets secrets;

// Takes the secrets of the variables, each null where it is unset. False: *error is one sentence. May
// throw std::bad_alloc.
bool take_secrets(const char* read, const char* write, std::string* error);
// Takes the secrets from the files that the variables name. False: *error is one sentence.
bool read_secret_files(std::string* error);
// Undoes both, when the plugin ends.
void forget_secrets();
// What a variable shows for a secret; none: null, the variable is unset.
const char* hidden_form(const std::optional<exec::Secret>& secret);

// Of the variables that may change at run time, but for those with a meaning of their own.
server::Settings read_settings();
// Only the numbers of threads.
server::Config read_threads();
// All that the variables say. Empty: *error says in one sentence what is wrong.
std::optional<server::Config> read_configuration(std::string* error);

int64_t in_ns(double seconds);

}  // namespace hs::adapter
