// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/configuration.h"

#include <string.h>

#include "mariadb/values.h"
#include "server/secret_file.h"

namespace hs::mariadb {

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
bool read_authentication(const std::string& name, unsigned long value, const std::string& secret,
                         exec::Authentication* authentication, std::string* error) {
  authentication->account = value == kAccount;
  authentication->secret = secret;
  const char* const contradicts = value == kSecret && secret.empty() ? "no secret is set"
                                  : value != kAuto && value != kSecret && !secret.empty()
                                      ? "a secret is set"
                                      : nullptr;
  if (contradicts == nullptr) return true;
  *error = name + " is " + authentication_names[value] + ", but " + contradicts;
  return false;
}

}  // namespace

void wipe(std::string& text) {
  ::explicit_bzero(text.data(), text.size());
  text.clear();
}

Secret& Secret::operator=(const Secret& other) {
  if (this == &other) return *this;
  forget();
  is_text_set_ = other.is_text_set_;
  has_file_ = other.has_file_;
  text_ = other.text_;
  from_file_ = other.from_file_;
  return *this;
}

void Secret::forget() {
  is_text_set_ = has_file_ = false;
  wipe(text_);
  wipe(from_file_);
}

bool Secret::may_be_both(bool both, std::string* error) const {
  if (!both) return true;
  const std::string name(name_);
  *error = name + " and " + name + "_file are both set: only one of them can be";
  return false;
}

bool Secret::set(const char* text, std::string* error) {
  if (!may_be_both(text != nullptr && has_file_, error)) return false;
  wipe(text_);
  is_text_set_ = text != nullptr;
  if (is_text_set_) text_ = text;
  return true;
}

bool Secret::read(const std::string& file, std::string* error) {
  if (!may_be_both(!file.empty() && is_text_set_, error)) return false;
  std::string line;
  if (!file.empty() && !server::read_secret_file(file, &line, error)) {
    *error += " (" + std::string(name_) + "_file)";
    return false;
  }
  wipe(from_file_);
  has_file_ = !file.empty();
  from_file_ = line;
  wipe(line);
  return true;
}

bool take_secrets(std::string* error) {
  const bool is_none = text(values.plain_secret).empty();
  const bool taken = secrets.read.set(is_none ? nullptr : values.plain_secret, error) &&
                     secrets.write.set(values.plain_secret_wr, error);
  values.plain_secret = hidden_form(values.plain_secret);
  values.plain_secret_wr = hidden_form(values.plain_secret_wr);
  return taken && secrets.read.read(text(values.plain_secret_file), error) &&
         secrets.write.read(text(values.plain_secret_wr_file), error);
}

void forget_secrets() {
  secrets.read.forget();
  secrets.write.forget();
  values.plain_secret = values.plain_secret_wr = nullptr;
}

char* hidden_form(const char* secret) {
  static char none[] = "";
  if (secret == nullptr) return nullptr;
  return *secret != '\0' ? hidden : none;
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
                           secrets.read.text(), &endpoint.authentication, error))
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
                           (is_own ? secrets.write : secrets.read).text(), &endpoint.authentication,
                           error))
    return std::nullopt;
  for (const std::string& one : addresses) listen(one, values.port_wr, "handlersocket_port_wr");
  listen(std::string(server::kUnixSocket), values.socket_wr, "handlersocket_socket_wr");
  config.backlog = values.backlog;
  config.version = HS_VERSION;
  config.server_version = server_version;
  config.slow_log = {values.slow_log != 0, in_ns(values.long_query_time),
                     text(values.slow_log_file)};
  return config;
}

}  // namespace hs::mariadb
