#include "socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

namespace hs::bench {

std::string system_error(const std::string& what) {
  return what + ": " + std::strerror(errno);  // NOLINT(concurrency-mt-unsafe)
}

namespace {

int connect_unix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) throw Failure("the path of the socket is too long");
  std::memcpy(address.sun_path, path.data(), path.size());
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0 ||
      ::connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
    throw Failure(system_error("cannot connect to " + path));
  }
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
  const int descriptor = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool connected =
      descriptor >= 0 && ::connect(descriptor, found->ai_addr, found->ai_addrlen) == 0;
  const std::string error = system_error("cannot connect to " + name);
  ::freeaddrinfo(found);
  if (!connected) throw Failure(error);
  const int on = 1;
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return descriptor;
}

}  // namespace

int connect_to(const Place& place) {
  return place.socket.empty() ? connect_tcp(place) : connect_unix(place.socket);
}

}  // namespace hs::bench
