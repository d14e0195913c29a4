// What the settings of a port mean: its secret, whom it asks for what, the rights of its socket.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "exec/client.h"
#include "exec/secret.h"
#include "net/socket_rights.h"

namespace hs::server {

// The secret of one port, from its variable or from a file. It keeps the secret's digest: the secret
// itself is nowhere. One thread at a time.
class PortSecret {
 public:
  // `name`: of its variable; that of its file is name_file.
  explicit PortSecret(std::string_view name) : name_(name) {}

  // As the variable; none: it is unset. False: there is a file, *error is one sentence.
  bool set(const std::optional<exec::Secret>& secret, std::string* error);
  // Reads the file; empty: there is none. False: it is no good, or the variable is set; *error is one
  // sentence.
  bool read(const std::string& file, std::string* error);
  void forget() {
    from_variable_.reset();
    from_file_.reset();
  }

  bool is_set() const { return from_variable_ || from_file_; }
  exec::Secret get() const {
    return from_file_ ? *from_file_ : from_variable_.value_or(exec::Secret());
  }

 private:
  bool may_be_both(bool both, std::string* error) const;

  std::string_view name_;
  std::optional<exec::Secret> from_variable_;
  std::optional<exec::Secret> from_file_;
};

// What a port asks its clients for, in the order of the setting's values.
enum class Asks : uint8_t { kAuto, kNone, kSecret, kAccount };

// False: the setting `name` contradicts the secret; *error is one sentence.
bool read_authentication(std::string_view name, Asks asks, const exec::Secret& secret,
                         exec::Authentication* authentication, std::string* error);

// `mode` as for chmod; `group`: a name or a number, empty for the server's. False: *error is one
// sentence.
bool read_socket_rights(const std::string& mode, const std::string& group,
                        net::SocketRights* rights, std::string* error);

}  // namespace hs::server
