#include "net/transport.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hs::net {

// In a process with several threads the C library makes each recv() and send() a point where the
// thread may be cancelled, with two locked instructions before and two behind. These threads are
// never cancelled, so they call the system directly.

ssize_t Transport::receive(char* bytes, size_t size) {
  return ::syscall(SYS_recvfrom, socket_.get(), bytes, size, MSG_DONTWAIT, nullptr, nullptr);
}

ssize_t Transport::send(const char* bytes, size_t size) {
  return ::syscall(SYS_sendto, socket_.get(), bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT, nullptr, 0);
}

bool Transport::wait_until_writable(int timeout_ms) {
  pollfd writable{socket_.get(), POLLOUT, 0};
  return ::poll(&writable, 1, timeout_ms) > 0;
}

bool Transport::end_output() { return ::shutdown(socket_.get(), SHUT_WR) == 0; }

std::string Transport::remote_address() const {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  char host[NI_MAXHOST];
  char port[NI_MAXSERV];
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (::getpeername(socket_.get(), generic, &size) != 0) return "an unknown address";
  if (generic->sa_family == AF_UNIX) return "a Unix socket";
  if (::getnameinfo(generic, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return "an unknown address";
  }
  return std::string(host) + ":" + port;
}

}  // namespace hs::net
