#include "server/secret_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "net/file_descriptor.h"

namespace hs::server {
namespace {

constexpr size_t kMaxLineEnd = 2;

// The beginning of a file, which is overwritten when it is no longer needed.
struct Beginning {
  Beginning() = default;
  Beginning(const Beginning&) = delete;
  Beginning& operator=(const Beginning&) = delete;
  ~Beginning() { ::explicit_bzero(bytes.data(), bytes.size()); }

  std::array<char, kMaxSecret + kMaxLineEnd> bytes;
  size_t size = 0;
};

// What is wrong with the file; empty: nothing.
std::string complaint(const net::FileDescriptor& file) {
  struct stat about;
  if (!file || ::fstat(file.get(), &about) != 0) {
    return "cannot be read: " + std::generic_category().message(errno);
  }
  if (!S_ISREG(about.st_mode)) return "is no regular file";
  if ((about.st_mode & (S_IROTH | S_IWOTH)) != 0) {
    return "can be read or written by every user: take that right away (chmod o=)";
  }
  return {};
}

// False: errno says why not.
bool read_beginning(const net::FileDescriptor& file, Beginning* beginning) {
  auto& [bytes, size] = *beginning;
  while (size < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  return true;
}

// Whether there is no character to be seen, as an editor leaves it in a file that was emptied.
bool is_blank(std::string_view line) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  return line.find_first_not_of(" \t\r\v\f") == std::string_view::npos;
}

}  // namespace

bool read_secret_file(const std::string& path, exec::Secret* secret, std::string* error) {
  const auto refuse = [&](const std::string& why) {
    *error = "the file of the secret, " + path + ", " + why;
    return false;
  };
  // O_NONBLOCK, since a FIFO would hold up the server's start.
  const net::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const std::string wrong = complaint(file);
  if (!wrong.empty()) return refuse(wrong);

  Beginning beginning;
  if (!read_beginning(file, &beginning)) {
    return refuse("cannot be read: " + std::generic_category().message(errno));
  }
  std::string_view line(beginning.bytes.data(), beginning.size);
  if (const size_t end = line.find('\n'); end != std::string_view::npos) {
    line = line.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
  if (line.size() > kMaxSecret) {
    return refuse("has a first line of more than " + std::to_string(kMaxSecret) + " bytes");
  }
  // An empty secret would mean that no secret is asked for.
  if (line.empty()) return refuse("has an empty first line");
  if (line.find('\0') != std::string_view::npos) return refuse("has a NUL byte in its first line");
  if (is_blank(line)) return refuse("has nothing but blanks in its first line");
  *secret = exec::Secret(line);
  return true;
}

}  // namespace hs::server
