// SPDX-License-Identifier: GPL-2.0-only
// From the values of the system variables to what the network server is started with and told
// later. It keeps the secrets' digests: the secrets themselves are nowhere. One thread at a time.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <optional>
#include <string>
#include <string_view>

#include "exec/secret.h"
#include "server/server.h"

namespace hs::mariadb {

// The secret of one port.
class PortSecret {
 public:
  // `name`: of its variable; that of its file is name_file.
  explicit PortSecret(std::string_view name) : name_(name) {}

  // As the variable; none: it is unset. False: there is a file, *error is one sentence.
  bool set(const std::optional<exec::Secret>& secret, std::string* error);
  // Reads the file; empty: there is none. False: it is no good, or the variable is set; *error is one
  // sentence.
  bool read(const std::string& file, std::string* error);
  void forget() {
    from_variable_.reset();
    from_file_.reset();
  }

  bool is_set() const { return from_variable_ || from_file_; }
  exec::Secret get() const {
    return from_file_ ? *from_file_ : from_variable_.value_or(exec::Secret());
  }

 private:
  bool may_be_both(bool both, std::string* error) const;

  std::string_view name_;
  std::optional<exec::Secret> from_variable_;
  std::optional<exec::Secret> from_file_;
};

struct Secrets {
  PortSecret read{"handlersocket_plain_secret"};
  PortSecret write{"handlersocket_plain_secret_wr"};  // not set: that of the read port
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
// The whole. Empty: *error says in one sentence what is wrong.
std::optional<server::Config> read_configuration(std::string* error);

int64_t in_ns(double seconds);

}  // namespace hs::mariadb
