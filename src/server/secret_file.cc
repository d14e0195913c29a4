#include "server/secret_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <string_view>
#include <system_error>

#include "net/file_descriptor.h"

namespace hs::server {
namespace {

constexpr size_t kMaxLineEnd = 2;

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

// Reads at most `size` bytes from the start. False: errno says why not.
bool read_start(const net::FileDescriptor& file, size_t size, std::string* bytes) {
  bytes->resize(size);
  size_t filled = 0;
  while (filled < size) {
    const ssize_t got = ::read(file.get(), bytes->data() + filled, size - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) break;
    filled += static_cast<size_t>(got);
  }
  bytes->resize(filled);
  return true;
}

// Whether there is no character to be seen, as an editor leaves it in a file that was emptied.
bool is_blank(std::string_view line) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  return line.find_first_not_of(" \t\r\v\f") == std::string_view::npos;
}

}  // namespace

bool read_secret_file(const std::string& path, std::string* secret, std::string* error) {
  const auto refuse = [&](const std::string& why) {
    *error = "the file of the secret, " + path + ", " + why;
    return false;
  };
  // O_NONBLOCK, since a FIFO would hold up the server's start.
  const net::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const std::string wrong = complaint(file);
  if (!wrong.empty()) return refuse(wrong);

  std::string line;
  if (!read_start(file, kMaxSecret + kMaxLineEnd, &line)) {
    return refuse("cannot be read: " + std::generic_category().message(errno));
  }
  const size_t end = line.find('\n');
  if (end != std::string::npos) {
    line.resize(end);
    if (line.ends_with('\r')) line.pop_back();
  }
  if (line.size() > kMaxSecret) {
    return refuse("has a first line of more than " + std::to_string(kMaxSecret) + " bytes");
  }
  // An empty secret would mean that no secret is asked for.
  if (line.empty()) return refuse("has an empty first line");
  if (line.find('\0') != std::string::npos) return refuse("has a NUL byte in its first line");
  if (is_blank(line)) return refuse("has nothing but blanks in its first line");
  *secret = std::move(line);
  return true;
}

}  // namespace hs::server
