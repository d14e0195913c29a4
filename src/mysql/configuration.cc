// SPDX-License-Identifier: GPL-2.0-only
#include "mysql/configuration.h"

#include <cstring>

#include "mysql/mappings.h"
#include "mysql/values.h"
#include "protocol/memcached/codec.h"
#include "protocol/resp/codec.h"

namespace hs::mysql {

using server::Asks;

Values values;
Secrets secrets;

namespace {

char hidden[] = "(hidden)";

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

server::OwnPlaces own_places() {
  const bool listens = !opt_disable_networking;
  return {.addresses = text(my_bind_addr_str),
          .port = listens ? mysqld_port : 0,
          .second_port = listens ? mysqld_admin_port : 0,
          .second_setting = "admin_port",
          .socket = text(mysqld_unix_port)};
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
  if (!server::read_socket_rights(text(values.socket_mode), text(values.socket_group),
                                  &socket_rights, error))
    return std::nullopt;
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
  const auto asks = static_cast<Asks>(values.authentication);
  if (!server::read_authentication("handlersocket_authentication", asks, secrets.read.get(),
                                   &endpoint.authentication, error))
    return std::nullopt;
  for (const std::string& one : addresses) listen(one, values.port, "handlersocket_port");
  listen(std::string(server::kUnixSocket), values.socket, "handlersocket_socket");
  endpoint.mode = engine::Mode::kReadWrite;
  // If what the read port asks for did not count here, writing would be open to every client.
  const bool is_own = secrets.write.is_set();
  auto asks_wr = static_cast<Asks>(values.authentication_wr);
  if (asks_wr == Asks::kAuto && asks == Asks::kAccount && !is_own) asks_wr = asks;
  if (!server::read_authentication("handlersocket_authentication_wr", asks_wr,
                                   (is_own ? secrets.write : secrets.read).get(),
                                   &endpoint.authentication, error))
    return std::nullopt;
  for (const std::string& one : addresses) listen(one, values.port_wr, "handlersocket_port_wr");
  listen(std::string(server::kUnixSocket), values.socket_wr, "handlersocket_socket_wr");
  // Other protocols are served on the write port's terms.
  const auto listen_for = [&](const protocol::Protocol& protocol, const char* port,
                              std::string_view variable) {
    if (text(port) == "0") return;
    endpoint.protocol = &protocol;
    for (const std::string& one : addresses) listen(one, port, variable);
  };
  listen_for(protocol::resp::resp_protocol(), values.resp_port, "handlersocket_resp_port");
  listen_for(protocol::memcached::memcached_protocol(), values.memcached_port,
             "handlersocket_memcached_port");
  config.directory = &directory();
  config.backlog = values.backlog;
  config.version = HS_VERSION;
  config.server_version = server_version;
  config.slow_log = {values.slow_log, in_ns(values.long_query_time), text(values.slow_log_file),
                     server::SlowLogConfig::Form::kMysql};
  return config;
}

}  // namespace hs::mysql
