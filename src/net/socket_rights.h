// Which processes may connect to a Unix socket. On Linux that takes the right to write to its file.
//
// Every failure is one sentence for the operator, without a full stop.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace hs::net {

struct SocketRights {
  mode_t mode = 0660;
  std::optional<gid_t> group;  // empty: that of the process
  bool operator==(const SocketRights&) const = default;
};

// A mode as chmod(1) takes it: one to four octal digits, 1 to 0777, which let at least one side
// write. False: *error says why not.
bool parse_socket_mode(const std::string& octal, mode_t* mode, std::string* error);

// The number of a group, of which `group` is the number or the name. False: *error says why not.
// May ask the network, depending on the system's settings.
bool find_group(const std::string& group, gid_t* number, std::string* error);

}  // namespace hs::net
