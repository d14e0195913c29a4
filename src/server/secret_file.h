// A shared secret from a file of its own, so that it stands in no option file and in no error log.
#pragma once

#include <cstddef>
#include <string>

namespace hs::server {

// Most bytes of the secret, without its line end.
inline constexpr size_t kMaxSecret = 4096;

// Reads the first line of the file, without its LF and one CR before that; what stands behind it is
// not looked at. Takes only a regular file that others than its owner and group can neither read
// nor write, and a secret of 1 to kMaxSecret bytes without NUL. False: *error says in one sentence,
// without a full stop, what is wrong, and names the file but nothing of what is in it.
bool read_secret_file(const std::string& path, std::string* secret, std::string* error);

}  // namespace hs::server
