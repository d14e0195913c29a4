#include "server/port_settings.h"

#include <array>

#include "server/secret_file.h"

namespace hs::server {
namespace {

constexpr std::array kNamesOfAsks{"auto", "none", "secret", "account"};

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
  if (!file.empty() && !read_secret_file(file, &secret.emplace(), error)) {
    *error += " (" + std::string(name_) + "_file)";
    return false;
  }
  from_file_ = secret;
  return true;
}

bool read_authentication(std::string_view name, Asks asks, const exec::Secret& secret,
                         exec::Authentication* authentication, std::string* error) {
  authentication->account = asks == Asks::kAccount;
  authentication->secret = secret;
  const bool may_have_secret = asks == Asks::kAuto || asks == Asks::kSecret;
  const char* const contradicts = asks == Asks::kSecret && !secret.is_set() ? "no secret is set"
                                  : !may_have_secret && secret.is_set()     ? "a secret is set"
                                                                            : nullptr;
  if (contradicts == nullptr) return true;
  *error =
      std::string(name) + " is " + kNamesOfAsks[static_cast<size_t>(asks)] + ", but " + contradicts;
  return false;
}

bool read_socket_rights(const std::string& mode, const std::string& group,
                        net::SocketRights* rights, std::string* error) {
  if (!net::parse_socket_mode(mode, &rights->mode, error)) {
    *error += " (handlersocket_socket_mode)";
    return false;
  }
  if (group.empty()) return true;
  gid_t number = 0;
  if (!net::find_group(group, &number, error)) {
    *error += " (handlersocket_socket_group)";
    return false;
  }
  rights->group = number;
  return true;
}

}  // namespace hs::server
