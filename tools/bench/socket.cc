#include "socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace hs::bench {

std::string system_error(const std::string& what) {
  return what + ": " + std::strerror(errno);  // NOLINT(concurrency-mt-unsafe)
}

namespace {

// A connected descriptor; -1: errno says why not.
int try_to_connect(const sockaddr& address, socklen_t size) {
  const int descriptor = ::socket(address.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0 || ::connect(descriptor, &address, size) == 0) return descriptor;
  const int error = errno;
  ::close(descriptor);
  errno = error;
  return -1;
}

int connect_unix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) throw Failure("the path of the socket is too long");
  std::memcpy(address.sun_path, path.data(), path.size());
  const int descriptor =
      try_to_connect(reinterpret_cast<const sockaddr&>(address), sizeof(address));
  if (descriptor < 0) throw Failure(system_error("cannot connect to " + path));
  return descriptor;
}

int connect_tcp(const Place& place) {
  const std::string name = place.host + ":" + std::to_string(place.port);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int status =
      ::getaddrinfo(place.host.c_str(), std::to_string(place.port).c_str(), &hints, &found);
  if (status != 0) throw Failure("cannot connect to " + name + ": " + ::gai_strerror(status));
  int descriptor = -1;
  for (const addrinfo* to = found; to != nullptr && descriptor < 0; to = to->ai_next) {
    descriptor = try_to_connect(*to->ai_addr, to->ai_addrlen);
  }
  const std::string error = system_error("cannot connect to " + name);
  ::freeaddrinfo(found);
  if (descriptor < 0) throw Failure(error);
  const int on = 1;
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return descriptor;
}

}  // namespace

int connect_to(const Place& place) {
  return place.socket.empty() ? connect_tcp(place) : connect_unix(place.socket);
}

}  // namespace hs::bench
