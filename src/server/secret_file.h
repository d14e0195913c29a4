// Reads a shared secret from a file of its own, so that it is in no option file and in no error
// log.
#pragma once

#include <cstddef>
#include <string>

#include "exec/secret.h"

namespace hs::server {

// Longest secret, in bytes, without its line end.
inline constexpr size_t kMaxSecret = 4096;

// Reads the first line of the file, without its LF and one CR before that. What follows it is
// ignored. Takes only a regular file that users other than its owner and group can neither read nor
// write, and a secret of 1 to kMaxSecret bytes without NUL that is not blank. What was read is
// overwritten at the end. False: *error says in one sentence, without a full stop, what is wrong. It
// names the file but nothing of its content.
bool read_secret_file(const std::string& path, exec::Secret* secret, std::string* error);

}  // namespace hs::server
