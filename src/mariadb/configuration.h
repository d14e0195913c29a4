// SPDX-License-Identifier: GPL-2.0-only
// From the values of the system variables to what the network server is started with and told
// later. It keeps the secrets, which the variables do not show. One thread at a time.
#pragma once

#include "mariadb/server_headers.h"
// (before anything else)
#include <optional>
#include <string>
#include <string_view>

#include "server/server.h"

namespace hs::mariadb {

// Overwrites a secret.
void wipe(std::string& text);

// The secret of one port. What is forgotten of it is overwritten.
class Secret {
 public:
  // `name`: of its variable; that of its file is name_file.
  explicit Secret(std::string_view name) : name_(name) {}
  Secret(const Secret&) = default;
  Secret& operator=(const Secret& other);
  ~Secret() { forget(); }

  // As the variable; null: it is unset. False: there is a file, *error is one sentence.
  bool set(const char* text, std::string* error);
  // Reads the file; empty: there is none. False: it is no good, or the variable is set; *error is one
  // sentence.
  bool read(const std::string& file, std::string* error);
  void forget();

  bool is_set() const { return is_text_set_ || has_file_; }
  const std::string& text() const { return has_file_ ? from_file_ : text_; }

 private:
  bool may_be_both(bool both, std::string* error) const;

  std::string_view name_;
  bool is_text_set_ = false;
  bool has_file_ = false;
  std::string text_;
  std::string from_file_;
};

struct Secrets {
  Secret read{"handlersocket_plain_secret"};
  Secret write{"handlersocket_plain_secret_wr"};  // not set: that of the read port
};
// By which read_configuration() goes.
extern Secrets secrets;

// Takes the secrets from the variables, which hide them from then on, and from the files that the
// variables name. False: *error is one sentence.
bool take_secrets(std::string* error);
// Undoes it, when the plugin ends: its file may stay loaded and be used again.
void forget_secrets();
// What a variable shows for a secret; null stays null.
char* hidden_form(const char* secret);

// Of the variables that may change at run time, but for those with a meaning of their own.
server::Settings read_settings();
// Only the numbers of threads.
server::Config read_threads();
// The whole. Empty: *error says in one sentence what is wrong.
std::optional<server::Config> read_configuration(std::string* error);

int64_t in_ns(double seconds);

}  // namespace hs::mariadb
