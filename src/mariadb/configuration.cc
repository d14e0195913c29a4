// SPDX-License-Identifier: GPL-2.0-only
#include "mariadb/configuration.h"

#include "mariadb/mappings.h"
#include "mariadb/variables.h"
#include "protocol/memcached/codec.h"
#include "protocol/resp/codec.h"
#include "server/secret_file.h"

namespace hs::mariadb {

Secrets secrets;

namespace {

const char* const authentication_names[] = {"auto", "none", "secret", "account"};

bool read_socket_rights(net::SocketRights* rights, std::string* error) {
  if (!net::parse_socket_mode(text(values().socket_mode), &rights->mode, error)) {
    *error += " (handlersocket_socket_mode)";
    return false;
  }
  const std::string group = text(values().socket_group);
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
  authentication->account = value == seam::kAccount;
  authentication->secret = secret;
  const char* const contradicts =
      value == seam::kSecret && !secret.is_set()                          ? "no secret is set"
      : value != seam::kAuto && value != seam::kSecret && secret.is_set() ? "a secret is set"
                                                                          : nullptr;
  if (contradicts == nullptr) return true;
  *error = name + " is " + authentication_names[value] + ", but " + contradicts;
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

bool take_secrets(const char* read, const char* write, std::string* error) {
  const auto secret = [](const char* text) {
    return text != nullptr ? std::optional(exec::Secret(text)) : std::nullopt;
  };
  const bool reads = read != nullptr && *read != '\0';
  return secrets.read.set(secret(reads ? read : nullptr), error) &&
         secrets.write.set(secret(write), error);
}

bool read_secret_files(std::string* error) {
  return secrets.read.read(text(values().plain_secret_file), error) &&
         secrets.write.read(text(values().plain_secret_wr_file), error);
}

void forget_secrets() {
  secrets.read.forget();
  secrets.write.forget();
}

const char* hidden_form(const std::optional<exec::Secret>& secret) {
  if (!secret) return nullptr;
  return secret->is_set() ? "(hidden)" : "";
}

int64_t in_ns(double seconds) { return static_cast<int64_t>(seconds * 1e9); }

server::Settings read_settings() {
  server::Settings settings;
  settings.limits = {.max_request_size = values().max_request_size,
                     .max_reply_size = values().max_reply_size,
                     .max_connections = values().max_connections,
                     .max_open_indexes = values().max_open_indexes,
                     .max_changed_rows = values().max_changed_rows,
                     .max_rows = values().max_rows,
                     .max_in_keys = values().max_in_keys,
                     .max_columns = values().max_columns,
                     .max_buffered = values().max_buffered,
                     .max_memory = values().max_memory};
  settings.idle_timeout_s = values().timeout;
  settings.login_timeout_s = values().login_timeout;
  settings.max_transactions = values().max_transactions;
  settings.transaction_timeout_s = values().transaction_timeout;
  settings.spin_us = values().spin_us;
  settings.sndbuf = values().sndbuf;
  settings.rcvbuf = values().rcvbuf;
  settings.readsize = values().readsize;
  return settings;
}

server::Config read_threads() {
  server::Config config;
  config.read_threads = values().threads;
  if (values().threads_wr != 0) config.write_threads = values().threads_wr;
  config.max_threads = values().max_threads;
  return config;
}

std::optional<server::Config> read_configuration(std::string* error) {
  server::Config config = read_threads();
  static_cast<server::Settings&>(config) = read_settings();
  net::SocketRights socket_rights;
  if (!read_socket_rights(&socket_rights, error)) return std::nullopt;
  std::vector<std::string> addresses;
  if (!server::split_addresses(text(values().address), &addresses, error)) {
    *error += " (handlersocket_address)";
    return std::nullopt;
  }
  server::EndpointConfig endpoint;
  endpoint.socket_rights = socket_rights;
  endpoint.allow_unauthenticated = values().allow_unauthenticated;
  const auto listen = [&](const std::string& where, const char* place, std::string_view variable) {
    if (text(place).empty()) return;
    endpoint.address = where;
    endpoint.port = text(place);
    endpoint.port_variable = variable;
    config.endpoints.push_back(endpoint);
  };
  endpoint.mode = engine::Mode::kReadOnly;
  if (!read_authentication("handlersocket_authentication", values().authentication,
                           secrets.read.get(), &endpoint.authentication, error))
    return std::nullopt;
  for (const std::string& one : addresses) listen(one, values().port, "handlersocket_port");
  listen(std::string(server::kUnixSocket), values().socket, "handlersocket_socket");
  endpoint.mode = engine::Mode::kReadWrite;
  // If what the read port asks for did not count here, writing would be open to every client.
  const bool is_own = secrets.write.is_set();
  const bool inherits_accounts =
      values().authentication_wr == seam::kAuto && values().authentication == seam::kAccount;
  if (!read_authentication(
          "handlersocket_authentication_wr",
          inherits_accounts && !is_own ? seam::kAccount : values().authentication_wr,
          (is_own ? secrets.write : secrets.read).get(), &endpoint.authentication, error))
    return std::nullopt;
  for (const std::string& one : addresses) listen(one, values().port_wr, "handlersocket_port_wr");
  listen(std::string(server::kUnixSocket), values().socket_wr, "handlersocket_socket_wr");
  // Other protocols are served on the write port's terms.
  const auto listen_for = [&](const protocol::Protocol& protocol, const char* port,
                              std::string_view variable) {
    if (text(port) == "0") return;
    endpoint.protocol = &protocol;
    for (const std::string& one : addresses) listen(one, port, variable);
  };
  listen_for(protocol::resp::resp_protocol(), values().resp_port, "handlersocket_resp_port");
  listen_for(protocol::memcached::memcached_protocol(), values().memcached_port,
             "handlersocket_memcached_port");
  config.directory = &directory();
  config.backlog = values().backlog;
  config.version = HS_VERSION;
  config.server_version = server_version;
  config.slow_log = {values().slow_log != 0, in_ns(values().long_query_time),
                     text(values().slow_log_file)};
  return config;
}

}  // namespace hs::mariadb
