#include "net/listener.h"

#include <linux/socket.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstring>
#include <system_error>

namespace hs::net {
namespace {

constexpr uid_t kSameOwner = static_cast<uid_t>(-1);

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using About = ListenError::About;
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

std::string text_of(int error) { return std::generic_category().message(error); }

ListenError failure(const std::string& place, int error) {
  if (error == EADDRINUSE) return {About::kPlace, place + " is in use"};
  return {error == EADDRNOTAVAIL ? About::kAddress : About::kPlace,
          "cannot listen on " + place + ": " + text_of(error)};
}

void set_option(const FileDescriptor& socket, int level, int name, int value) {
  // The options are useful but not necessary: the socket serves without them.
  ::setsockopt(socket.get(), level, name, &value, sizeof value);
}

int option_of(const FileDescriptor& socket, int name) {
  int value = 0;
  socklen_t size = sizeof value;
  return ::getsockopt(socket.get(), SOL_SOCKET, name, &value, &size) == 0 ? value : 0;
}

// Set before listen(), so that the window scale of accepted connections fits the buffer.
void set_buffer_options(const FileDescriptor& socket, const ListenOptions& options) {
  if (options.sndbuf != 0)
    set_option(socket, SOL_SOCKET, SO_SNDBUF, static_cast<int>(options.sndbuf));
  if (options.rcvbuf != 0)
    set_option(socket, SOL_SOCKET, SO_RCVBUF, static_cast<int>(options.rcvbuf));
}

int backlog_of(uint32_t backlog) { return static_cast<int>(std::min<uint32_t>(backlog, INT_MAX)); }

FileDescriptor make_socket(int family) {
  return FileDescriptor(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

Addresses find_addresses(const ListenOptions& options, ListenError* error) {
  addrinfo hints{};
  hints.ai_family = options.address.empty() ? AF_INET6 : AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int result = ::getaddrinfo(options.address.empty() ? nullptr : options.address.c_str(), "0",
                                   &hints, &found);
  if (result != 0) {
    *error = {About::kAddress,
              "cannot resolve the address '" + options.address + "': " + ::gai_strerror(result)};
    return nullptr;
  }
  return Addresses(found);
}

void set_port(sockaddr* address, uint16_t port) {
  if (address->sa_family == AF_INET6) {
    reinterpret_cast<sockaddr_in6*>(address)->sin6_port = htons(port);
  } else {
    reinterpret_cast<sockaddr_in*>(address)->sin_port = htons(port);
  }
}

bool is_loopback(const sockaddr* address) {
  if (address->sa_family == AF_INET) {
    const auto* ipv4 = reinterpret_cast<const sockaddr_in*>(address);
    return (ntohl(ipv4->sin_addr.s_addr) >> 24) == IN_LOOPBACKNET;
  }
  const in6_addr& ipv6 = reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  // Also 127.0.0.0/8 as ::ffff:127.0.0.1.
  return IN6_IS_ADDR_LOOPBACK(&ipv6) ||
         (IN6_IS_ADDR_V4MAPPED(&ipv6) && ipv6.s6_addr[12] == IN_LOOPBACKNET);
}

uint16_t bound_port(const FileDescriptor& socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return address.ss_family == AF_INET6
             ? ntohs(reinterpret_cast<const sockaddr_in6&>(address).sin6_port)
             : ntohs(reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

// 0, or the errno of what failed. `every`: on all addresses of the machine, IPv4 ones included.
int listen_on(sockaddr* address, socklen_t size, bool every, const ListenOptions& options,
              FileDescriptor* listening) {
  FileDescriptor socket = make_socket(address->sa_family);
  if (!socket) return errno;
  set_option(socket, SOL_SOCKET, SO_REUSEADDR, 1);
  set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  if (address->sa_family == AF_INET6) set_option(socket, IPPROTO_IPV6, IPV6_V6ONLY, every ? 0 : 1);
  set_buffer_options(socket, options);
  bool shares = false;
  if (::bind(socket.get(), address, size) != 0) {
    if (errno != EADDRINUSE || !options.takes_over) return errno;
    // Only now: the system remembers with the port that it was shared, also when no socket shares
    // it any more, and lets others of this user share it, too.
    shares = true;
    set_option(socket, SOL_SOCKET, SO_REUSEPORT, 1);
    if (::bind(socket.get(), address, size) != 0) return errno;
  }
  if (::listen(socket.get(), backlog_of(options.backlog)) != 0) return errno;
  if (shares) set_option(socket, SOL_SOCKET, SO_REUSEPORT, 0);
  *listening = std::move(socket);
  return 0;
}

// A name can have the same address twice (glibc finds 127.0.0.1 for both lines of /etc/hosts).
bool seen_before(const addrinfo* list, const addrinfo* one) {
  for (; list != one; list = list->ai_next) {
    if (list->ai_addrlen == one->ai_addrlen &&
        std::memcmp(list->ai_addr, one->ai_addr, one->ai_addrlen) == 0) {
      return true;
    }
  }
  return false;
}

bool is_missing(int error) { return error == EAFNOSUPPORT || error == EADDRNOTAVAIL; }

// Makes way for a socket at a path that exists already: removes a socket that a dead server left
// behind. False: *error says why the path cannot be used.
bool clear_path(const sockaddr_un& address, const std::string& place, ListenError* error) {
  struct stat file;
  if (::lstat(address.sun_path, &file) != 0) {
    if (errno == ENOENT) return true;
    *error = failure(place, errno);
    return false;
  }
  if (!S_ISSOCK(file.st_mode)) {
    *error = {About::kPlace, "cannot listen on " + place + ": the file exists and is no socket"};
    return false;
  }
  const FileDescriptor probe = make_socket(AF_UNIX);
  const auto* target = reinterpret_cast<const sockaddr*>(&address);
  if (!probe || (::connect(probe.get(), target, sizeof address) != 0 && errno != EAGAIN)) {
    // Refused: a server that is gone has left it behind.
    if (probe && errno == ECONNREFUSED && ::unlink(address.sun_path) == 0) return true;
    *error = failure(place, errno);
  } else {
    *error = failure(place, EADDRINUSE);
  }
  return false;
}

}  // namespace

bool resolve_port(const std::string& port, uint16_t* number, std::string* error) {
  const char* const end = port.data() + port.size();
  uint64_t parsed = 0;
  const auto [rest, failed] = std::from_chars(port.data(), end, parsed);
  if (!port.empty() && port.find_first_not_of("0123456789") == std::string::npos) {
    if (failed != std::errc() || parsed > UINT16_MAX) {
      *error = "the port " + port + " is not in the range 0 to 65535";
      return false;
    }
    *number = static_cast<uint16_t>(parsed);
    return true;
  }
  servent entry{};
  servent* found = nullptr;
  char names[1024];
  if (::getservbyname_r(port.c_str(), "tcp", &entry, names, sizeof names, &found) != 0 ||
      found == nullptr) {
    *error = "'" + port + "' is neither a port number nor the name of a service";
    return false;
  }
  *number = ntohs(static_cast<uint16_t>(found->s_port));
  return true;
}

std::unique_ptr<Listener> Listener::open(const ListenOptions& options, ListenError* error) {
  std::unique_ptr<Listener> listener(new Listener);
  const bool done = options.path.empty() ? listener->open_addresses(options, error)
                                         : listener->open_path(options, error);
  return done ? std::move(listener) : nullptr;
}

void Listener::set_buffers(uint32_t sndbuf, uint32_t rcvbuf) {
  for (const FileDescriptor& socket : sockets_) {
    const FileDescriptor fresh = make_socket(option_of(socket, SO_DOMAIN));
    if (!fresh) continue;
    // The system doubles what it is given.
    const auto size = [&fresh](uint32_t wanted, int name) {
      return wanted != 0 ? static_cast<int>(wanted) : option_of(fresh, name) / 2;
    };
    set_option(socket, SOL_SOCKET, SO_SNDBUF, size(sndbuf, SO_SNDBUF));
    set_option(socket, SOL_SOCKET, SO_RCVBUF, size(rcvbuf, SO_RCVBUF));
    // A size that was set once would else keep the buffer from growing.
    set_option(socket, SOL_SOCKET, SO_BUF_LOCK,
               (sndbuf != 0 ? SOCK_SNDBUF_LOCK : 0) | (rcvbuf != 0 ? SOCK_RCVBUF_LOCK : 0));
  }
}

void Listener::set_backlog(uint32_t backlog) {
  for (const FileDescriptor& socket : sockets_) ::listen(socket.get(), backlog_of(backlog));
}

void Listener::share_port(bool share) {
  if (!path_.empty()) return;
  for (const FileDescriptor& socket : sockets_) {
    set_option(socket, SOL_SOCKET, SO_REUSEPORT, share ? 1 : 0);
  }
}

bool Listener::set_rights(const SocketRights& rights, ListenError* error) {
  if (path_.empty()) return true;
  if (!has_own_file()) {
    *error = {About::kPlace,
              "cannot change the rights of " + place_ + ": its file was removed or replaced"};
    return false;
  }
  const gid_t group = rights.group.value_or(::getegid());
  if (::lchown(path_.c_str(), kSameOwner, group) != 0) {
    *error = {About::kGroup, "cannot give " + place_ + " to the group " + std::to_string(group) +
                                 ": " + text_of(errno)};
    return false;
  }
  if (::chmod(path_.c_str(), rights.mode) == 0) return true;
  *error = failure(place_, errno);
  return false;
}

bool Listener::has_own_file() const {
  struct stat now;
  return !path_.empty() && ::lstat(path_.c_str(), &now) == 0 && now.st_dev == file_.st_dev &&
         now.st_ino == file_.st_ino;
}

Listener::~Listener() {
  if (has_own_file()) ::unlink(path_.c_str());
}

bool Listener::open_addresses(const ListenOptions& options, ListenError* error) {
  const bool every = options.address.empty();
  place_ =
      "port " + std::to_string(options.port) + " on " + (every ? "all addresses" : options.address);
  const Addresses addresses = find_addresses(options, error);
  if (addresses == nullptr) return false;

  port_ = options.port;
  int missing = 0;
  for (const addrinfo* one = addresses.get(); one != nullptr; one = one->ai_next) {
    set_port(one->ai_addr, port_);
    if (seen_before(addresses.get(), one)) continue;
    if (!is_loopback(one->ai_addr)) can_be_reached_ = true;
    if (options.only_loopback && can_be_reached_) {
      *error = {About::kReach, place_ + " can be reached from other machines"};
      return false;
    }
    FileDescriptor socket;
    int failed = listen_on(one->ai_addr, one->ai_addrlen, every, options, &socket);
    if (every && is_missing(failed)) {  // a machine without IPv6
      sockaddr_in any{};
      any.sin_family = AF_INET;
      any.sin_port = htons(port_);
      failed = listen_on(reinterpret_cast<sockaddr*>(&any), sizeof any, true, options, &socket);
    }
    if (is_missing(failed)) {  // the name has an address that this machine has not, or not now
      missing = failed;
      continue;
    }
    if (failed != 0) {
      *error = failure(place_, failed);
      return false;
    }
    port_ = bound_port(socket);
    set_port(one->ai_addr, port_);
    sockets_.push_back(std::move(socket));
  }
  if (sockets_.empty()) {
    *error = failure(place_, missing);
    return false;
  }
  if (options.port == 0) {
    place_ = "port " + std::to_string(port_) + " on " + (every ? "all addresses" : options.address);
  }
  return true;
}

bool Listener::open_path(const ListenOptions& options, ListenError* error) {
  place_ = "the socket " + options.path;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (options.path.size() >= sizeof address.sun_path) {
    *error = {About::kPlace, "the path of " + place_ + " has more than " +
                                 std::to_string(sizeof address.sun_path - 1) + " bytes"};
    return false;
  }
  std::memcpy(address.sun_path, options.path.data(), options.path.size());
  if (!clear_path(address, place_, error)) return false;

  FileDescriptor socket = make_socket(AF_UNIX);
  if (socket) set_buffer_options(socket, options);
  const auto* target = reinterpret_cast<const sockaddr*>(&address);
  if (!socket || ::bind(socket.get(), target, sizeof address) != 0) {
    *error = failure(place_, errno);
    return false;
  }
  path_ = options.path;
  // No client can connect before listen(), so the rights are right before the first one connects.
  const SocketRights& rights = options.rights;
  if (::lstat(path_.c_str(), &file_) != 0) {
    *error = failure(place_, errno);
    return false;
  }
  if (rights.group && ::lchown(path_.c_str(), kSameOwner, *rights.group) != 0) {
    *error = {About::kGroup, "cannot give " + place_ + " to the group " +
                                 std::to_string(*rights.group) + ": " + text_of(errno)};
    return false;
  }
  if (::chmod(path_.c_str(), rights.mode) != 0 ||
      ::listen(socket.get(), backlog_of(options.backlog)) != 0) {
    *error = failure(place_, errno);
    return false;
  }
  sockets_.push_back(std::move(socket));
  return true;
}

}  // namespace hs::net
