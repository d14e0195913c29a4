#include "server/own_places.h"

#include <filesystem>
#include <system_error>
#include <vector>

#include "net/listener.h"

namespace hs::server {
namespace {

constexpr std::string_view kLoopback = "127.0.0.1";

bool is_every(std::string_view address) {
  return address.empty() || address == "*" || address == "::" || address == "0.0.0.0";
}

std::string_view plain(std::string_view address) {
  return address == "localhost" ? kLoopback : address;
}

// Whether a list of addresses, as bind_address has it, and the address of one endpoint may meet.
bool may_meet(std::string_view list, std::string_view address) {
  std::vector<std::string> addresses;
  std::string ignored;
  // A list that the database cannot use either is taken for every address.
  if (!split_addresses(list, &addresses, &ignored)) return true;
  if (is_every(address)) return true;
  for (const std::string& one : addresses) {
    if (is_every(one) || plain(one) == plain(address)) return true;
  }
  return false;
}

bool is_same_file(std::string_view one, std::string_view other) {
  std::error_code failed;
  const auto first = std::filesystem::weakly_canonical(one, failed);
  if (failed) return one == other;
  const auto second = std::filesystem::weakly_canonical(other, failed);
  return failed ? one == other : first == second;
}

// The database's setting that names the same place; empty: none does.
std::string_view setting_of(const OwnPlaces& places, const EndpointConfig& endpoint) {
  if (endpoint.address == kUnixSocket)
    return !places.socket.empty() && is_same_file(endpoint.port, places.socket) ? "socket" : "";
  uint16_t number = 0;
  std::string ignored;
  if (!net::resolve_port(endpoint.port, &number, &ignored) || number == 0 ||
      !may_meet(places.addresses, endpoint.address))
    return "";
  if (number == places.port) return "port";
  return number == places.second_port ? places.second_setting : "";
}

}  // namespace

bool leaves(const OwnPlaces& places, const Config& config, std::string* error) {
  for (const EndpointConfig& endpoint : config.endpoints) {
    const std::string_view setting = setting_of(places, endpoint);
    if (setting.empty()) continue;
    *error = std::string(endpoint.port_variable) + " is the server's own " + std::string(setting) +
             ", " + endpoint.port + ": choose another one";
    return false;
  }
  return true;
}

}  // namespace hs::server
