#include "server/config.h"

#include <algorithm>

#include "net/listener.h"

namespace hs::server {
namespace {

std::string_view without_blanks(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

}  // namespace

bool same_place(const EndpointConfig& one, const EndpointConfig& other) {
  if (one.address != other.address) return false;
  std::string ignored;
  uint16_t number = 0;
  uint16_t other_number = 0;
  if (!net::resolve_port(one.port, &number, &ignored) ||
      !net::resolve_port(other.port, &other_number, &ignored)) {
    return one.port == other.port;
  }
  return number == other_number && number != 0;
}

uint32_t default_write_threads(uint32_t cores) { return std::clamp(cores / 8, 1u, 4u); }

bool split_addresses(std::string_view list, std::vector<std::string>* addresses,
                     std::string* error) {
  addresses->clear();
  for (std::string_view rest = list;;) {
    const size_t comma = rest.find(',');
    const std::string address(without_blanks(rest.substr(0, comma)));
    const bool is_whole_list = addresses->empty() && comma == std::string_view::npos;
    if (!is_whole_list && (address.empty() || address == kUnixSocket)) {
      *error = "the list of addresses '" + std::string(list) + "' has " +
               (address.empty() ? "an empty one" : "'/', which can only stand alone");
      return false;
    }
    if (std::find(addresses->begin(), addresses->end(), address) != addresses->end()) {
      *error = "the list of addresses '" + std::string(list) + "' has " + address + " twice";
      return false;
    }
    addresses->push_back(address);
    if (comma == std::string_view::npos) return true;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace hs::server
