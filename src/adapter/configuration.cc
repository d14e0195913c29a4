#include "adapter/configuration.h"

#include "adapter/variables.h"
#include "protocol/memcached/codec.h"
#include "protocol/resp/codec.h"

namespace hs::adapter {

using server::Asks;

Secrets secrets;

static_assert(seam::kAccount == static_cast<unsigned long>(Asks::kAccount));

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
  if (!server::read_socket_rights(text(values().socket_mode), text(values().socket_group),
                                  &socket_rights, error))
    return std::nullopt;
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
  const auto asks = static_cast<Asks>(values().authentication);
  if (!server::read_authentication("handlersocket_authentication", asks, secrets.read.get(),
                                   &endpoint.authentication, error))
    return std::nullopt;
  for (const std::string& one : addresses) listen(one, values().port, "handlersocket_port");
  listen(std::string(server::kUnixSocket), values().socket, "handlersocket_socket");
  endpoint.mode = engine::Mode::kReadWrite;
  // If what the read port asks for did not count here, writing would be open to every client.
  const bool is_own = secrets.write.is_set();
  auto asks_wr = static_cast<Asks>(values().authentication_wr);
  if (asks_wr == Asks::kAuto && asks == Asks::kAccount && !is_own) asks_wr = asks;
  if (!server::read_authentication("handlersocket_authentication_wr", asks_wr,
                                   (is_own ? secrets.write : secrets.read).get(),
                                   &endpoint.authentication, error))
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
  config.backlog = values().backlog;
  config.slow_log = {values().slow_log, in_ns(values().long_query_time),
                     text(values().slow_log_file)};
  return config;
}

}  // namespace hs::adapter
