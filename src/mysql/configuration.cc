// SPDX-License-Identifier: GPL-2.0-only
#include "mysql/configuration.h"

#include <cstring>

#include "mysql/values.h"
#include "server/secret_file.h"

namespace hs::mysql {

Values values;
Secrets secrets;

namespace {

char hidden[] = "(hidden)";
const char* const authentication_names[] = {"auto", "none", "secret", "account"};

bool read_socket_rights(net::SocketRights* rights, std::string* error) {
  if (!net::parse_socket_mode(text(values.socket_mode), &rights->mode, error)) {
    *error += " (handlersocket_socket_mode)";
    return false;
  }
  const std::string group = text(values.socket_group);
  if (group.empty()) return true;
  gid_t number = 0;
  if (!net::find_group(group, &number, error)) {
    *error += " (handlersocket_socket_group)";
    return false;
  }
  rights->group = number;
  return true;
}

// False: the variable `name` contradicts the secret.
bool read_authentication(const std::string& name, unsigned long value, const exec::Secret& secret,
                         exec::Authentication* authentication, std::string* error) {
  authentication->account = value == kAccount;
  authentication->secret = secret;
  const char* const contradicts = value == kSecret && !secret.is_set() ? "no secret is set"
                                  : value != kAuto && value != kSecret && secret.is_set()
                                      ? "a secret is set"
                                      : nullptr;
  if (contradicts == nullptr) return true;
  *error = name + " is " + authentication_names[value] + ", but " + contradicts;
  return false;
}

// Takes a secret out of its variable and leaves asterisks in its place, which may be the server's
// command line. A plugin that is installed later gets the same command line, and must not take the
// asterisks for the secret. False: it would; *error is one sentence.
bool take(char*& variable, std::string_view name, std::optional<exec::Secret>* secret,
          std::string* error) {
  secret->reset();
  if (variable == nullptr) return true;
  const std::string_view text(variable);
  const bool was_taken = !text.empty() && text.find_first_not_of('*') == std::string_view::npos;
  *secret = exec::Secret(text);
  if (!text.empty()) std::memset(variable, '*', text.size());
  variable = hidden_form(*secret);
  if (!was_taken) return true;
  *error = "the secret is no longer on the server's command line: set " + std::string(name) +
           " in an option file, or " + std::string(name) + "_file";
  return false;
}

}  // namespace

bool PortSecret::may_be_both(bool both, std::string* error) const {
  if (!both) return true;
  const std::string name(name_);
  *error = name + " and " + name + "_file are both set: only one of them can be";
  return false;
}

bool PortSecret::set(const std::optional<exec::Secret>& secret, std::string* error) {
  if (!may_be_both(secret && from_file_, error)) return false;
  from_variable_ = secret;
  return true;
}

bool PortSecret::read(const std::string& file, std::string* error) {
  if (!may_be_both(!file.empty() && from_variable_, error)) return false;
  std::optional<exec::Secret> secret;
  if (!file.empty() && !server::read_secret_file(file, &secret.emplace(), error)) {
    *error += " (" + std::string(name_) + "_file)";
    return false;
  }
  from_file_ = secret;
  return true;
}

bool take_secrets(std::string* error) {
  std::optional<exec::Secret> read, write;
  const bool read_taken = take(values.plain_secret, "handlersocket_plain_secret", &read, error);
  const bool write_taken =
      take(values.plain_secret_wr, "handlersocket_plain_secret_wr", &write, error);
  if (read && !read->is_set()) read.reset();
  return read_taken && write_taken && secrets.read.set(read, error) &&
         secrets.write.set(write, error) &&
         secrets.read.read(text(values.plain_secret_file), error) &&
         secrets.write.read(text(values.plain_secret_wr_file), error);
}

void forget_secrets() {
  secrets.read.forget();
  secrets.write.forget();
  values.plain_secret = values.plain_secret_wr = nullptr;
}

char* hidden_form(const std::optional<exec::Secret>& secret) {
  static char none[] = "";
  if (!secret) return nullptr;
  return secret->is_set() ? hidden : none;
}

int64_t in_ns(double seconds) { return static_cast<int64_t>(seconds * 1e9); }

server::Settings read_settings() {
  server::Settings settings;
  settings.limits = {.max_request_size = values.max_request_size,
                     .max_reply_size = values.max_reply_size,
                     .max_connections = values.max_connections,
                     .max_open_indexes = values.max_open_indexes,
                     .max_changed_rows = values.max_changed_rows,
                     .max_rows = values.max_rows,
                     .max_in_keys = values.max_in_keys,
                     .max_columns = values.max_columns,
                     .max_buffered = values.max_buffered,
                     .max_memory = values.max_memory};
  settings.idle_timeout_s = values.timeout;
  settings.login_timeout_s = values.login_timeout;
  settings.max_transactions = values.max_transactions;
  settings.transaction_timeout_s = values.transaction_timeout;
  settings.spin_us = values.spin_us;
  settings.sndbuf = values.sndbuf;
  settings.rcvbuf = values.rcvbuf;
  settings.readsize = values.readsize;
  return settings;
}

server::Config read_threads() {
  server::Config config;
  config.read_threads = values.threads;
  if (values.threads_wr != 0) config.write_threads = values.threads_wr;
  config.max_threads = values.max_threads;
  return config;
}

std::optional<server::Config> read_configuration(std::string* error) {
  server::Config config = read_threads();
  static_cast<server::Settings&>(config) = read_settings();
  net::SocketRights socket_rights;
  if (!read_socket_rights(&socket_rights, error)) return std::nullopt;
  std::vector<std::string> addresses;
  if (!server::split_addresses(text(values.address), &addresses, error)) {
    *error += " (handlersocket_address)";
    return std::nullopt;
  }
  server::EndpointConfig endpoint;
  endpoint.socket_rights = socket_rights;
  endpoint.allow_unauthenticated = values.allow_unauthenticated;
  const auto listen = [&](const std::string& where, const char* place, std::string_view variable) {
    if (text(place).empty()) return;
    endpoint.address = where;
    endpoint.port = text(place);
    endpoint.port_variable = variable;
    config.endpoints.push_back(endpoint);
  };
  endpoint.mode = engine::Mode::kReadOnly;
  if (!read_authentication("handlersocket_authentication", values.authentication,
                           secrets.read.get(), &endpoint.authentication, error))
    return std::nullopt;
  for (const std::string& one : addresses) listen(one, values.port, "handlersocket_port");
  listen(std::string(server::kUnixSocket), values.socket, "handlersocket_socket");
  endpoint.mode = engine::Mode::kReadWrite;
  // If what the read port asks for did not count here, writing would be open to every client.
  const bool is_own = secrets.write.is_set();
  const bool inherits_accounts =
      values.authentication_wr == kAuto && values.authentication == kAccount;
  if (!read_authentication("handlersocket_authentication_wr",
                           inherits_accounts && !is_own ? kAccount : values.authentication_wr,
                           (is_own ? secrets.write : secrets.read).get(), &endpoint.authentication,
                           error))
    return std::nullopt;
  for (const std::string& one : addresses) listen(one, values.port_wr, "handlersocket_port_wr");
  listen(std::string(server::kUnixSocket), values.socket_wr, "handlersocket_socket_wr");
  config.backlog = values.backlog;
  config.version = HS_VERSION;
  config.server_version = server_version;
  config.slow_log = {values.slow_log, in_ns(values.long_query_time), text(values.slow_log_file)};
  return config;
}

}  // namespace hs::mysql
