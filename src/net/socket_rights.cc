#include "net/socket_rights.h"

#include <grp.h>

#include <cerrno>
#include <charconv>
#include <limits>
#include <system_error>
#include <vector>

namespace hs::net {
namespace {

constexpr mode_t kAnyoneWrites = 0222;

bool consists_of(const std::string& text, const char* digits) {
  return !text.empty() && text.find_first_not_of(digits) == std::string::npos;
}

// 0, and *found has the group if there is one; or the error number.
int look_up(const std::string& name, std::optional<gid_t>* found) {
  constexpr size_t kFirstTry = 4096;
  constexpr size_t kLastTry = 16u << 20;  // of a group with a million members
  int failed = ERANGE;
  for (size_t size = kFirstTry; failed == ERANGE && size <= kLastTry; size *= 4) {
    std::vector<char> names(size);
    group entry{};
    group* result = nullptr;
    failed = ::getgrnam_r(name.c_str(), &entry, names.data(), names.size(), &result);
    if (result != nullptr) *found = result->gr_gid;
  }
  return failed == ENOENT ? 0 : failed;
}

}  // namespace

bool parse_socket_mode(const std::string& octal, mode_t* mode, std::string* error) {
  if (octal.size() > 4 || !consists_of(octal, "01234567") ||
      (octal.size() == 4 && octal[0] != '0')) {
    *error = "'" + octal + "' is no mode of a socket, which is an octal number up to 0777";
    return false;
  }
  mode_t parsed = 0;
  std::from_chars(octal.data(), octal.data() + octal.size(), parsed, 8);
  if ((parsed & kAnyoneWrites) == 0) {
    *error = "with the mode " + octal + " no client could connect, which takes the right to write";
    return false;
  }
  *mode = parsed;
  return true;
}

bool find_group(const std::string& group, gid_t* number, std::string* error) {
  if (consists_of(group, "0123456789")) {
    gid_t parsed = 0;
    const auto [rest, failed] = std::from_chars(group.data(), group.data() + group.size(), parsed);
    // The largest number means "no group" to the system.
    if (failed == std::errc() && parsed != std::numeric_limits<gid_t>::max()) {
      *number = parsed;
      return true;
    }
    *error = "the group " + group + " is larger than the number of any group";
    return false;
  }
  std::optional<gid_t> found;
  const int failed = look_up(group, &found);
  if (found) {
    *number = *found;
    return true;
  }
  *error = failed == 0 ? "there is no group '" + group + "'"
                       : "cannot look up the group '" + group +
                             "': " + std::generic_category().message(failed);
  return false;
}

}  // namespace hs::net
