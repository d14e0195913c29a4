// SPDX-License-Identifier: GPL-2.0-only
#include "mysql/server_headers.h"
// (before anything else)
#include <filesystem>
#include <system_error>
#include <vector>

#include "mysql/own_places.h"
#include "net/listener.h"

namespace hs::mysql {
namespace {

constexpr std::string_view kLoopback = "127.0.0.1";

bool is_every(std::string_view address) {
  return address.empty() || address == "*" || address == "::" || address == "0.0.0.0";
}

std::string_view plain(std::string_view address) {
  return address == "localhost" ? kLoopback : address;
}

// Whether two lists of addresses, as bind_address and one endpoint have them, may meet.
bool may_meet(const std::vector<std::string>& of_server, std::string_view address) {
  if (is_every(address)) return true;
  for (const std::string& one : of_server) {
    if (is_every(one) || plain(one) == plain(address)) return true;
  }
  return false;
}

std::vector<std::string> server_addresses() {
  std::vector<std::string> addresses;
  std::string ignored;
  const std::string list = my_bind_addr_str != nullptr ? my_bind_addr_str : "";
  // A list that the server cannot use either is taken for every address.
  if (!server::split_addresses(list, &addresses, &ignored)) addresses.assign(1, "");
  return addresses;
}

bool is_same_file(const std::string& one, const std::string& other) {
  std::error_code failed;
  const auto first = std::filesystem::weakly_canonical(one, failed);
  if (failed) return one == other;
  const auto second = std::filesystem::weakly_canonical(other, failed);
  return failed ? one == other : first == second;
}

// The server's setting that names the same place; empty: none does.
std::string_view setting_of(const server::EndpointConfig& endpoint) {
  if (endpoint.address == server::kUnixSocket) {
    const std::string own = mysqld_unix_port != nullptr ? mysqld_unix_port : "";
    return !own.empty() && is_same_file(endpoint.port, own) ? "socket" : "";
  }
  uint16_t number = 0;
  std::string ignored;
  if (opt_disable_networking || !net::resolve_port(endpoint.port, &number, &ignored) ||
      number == 0 || !may_meet(server_addresses(), endpoint.address)) {
    return "";
  }
  if (number == mysqld_port) return "port";
  return number == mysqld_admin_port ? "admin_port" : "";
}

}  // namespace

bool leaves_places_to_server(const server::Config& config, std::string* error) {
  for (const server::EndpointConfig& endpoint : config.endpoints) {
    const std::string_view setting = setting_of(endpoint);
    if (setting.empty()) continue;
    *error = std::string(endpoint.port_variable) + " is the server's own " + std::string(setting) +
             ", " + endpoint.port + ": choose another one";
    return false;
  }
  return true;
}

}  // namespace hs::mysql
