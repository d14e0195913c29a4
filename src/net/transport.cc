#include "net/transport.h"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace hs::net {
namespace {

struct PeerName {
  explicit PeerName(const FileDescriptor& socket) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    is_known = ::getpeername(socket.get(), generic, &size) == 0 && generic->sa_family != AF_UNIX &&
               ::getnameinfo(generic, size, host, sizeof host, port, sizeof port,
                             NI_NUMERICHOST | NI_NUMERICSERV) == 0;
  }

  bool is_known = false;
  char host[NI_MAXHOST] = "";
  char port[NI_MAXSERV] = "";
};

}  // namespace

// In a process with several threads the C library makes each recv() and send() a point where the
// thread may be cancelled, with two locked instructions before and two behind. These threads are
// never cancelled, so they call the system directly.

ssize_t Transport::receive(char* bytes, size_t size) {
  return ::syscall(SYS_recvfrom, socket_.get(), bytes, size, MSG_DONTWAIT, nullptr, nullptr);
}

ssize_t Transport::peek(char* byte) const {
  return ::syscall(SYS_recvfrom, socket_.get(), byte, 1, MSG_DONTWAIT | MSG_PEEK, nullptr, nullptr);
}

ssize_t Transport::send_plain(const char* bytes, size_t size) {
  return ::syscall(SYS_sendto, socket_.get(), bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT, nullptr, 0);
}

// False, with errno set: some are left.
bool Transport::send_records() {
  Buffer& records = tls_->records();
  while (!records.empty()) {
    const ssize_t sent = send_plain(records.data(), records.size());
    if (sent < 0) return false;
    records.consume(static_cast<size_t>(sent));
  }
  return true;
}

ssize_t Transport::send_sealed(const char* bytes, size_t size) {
  size_t taken = 0;
  // So much in one call at most, so that a client that reads fast does not keep its thread.
  constexpr size_t kMostSealedAtOnce = 16 * TlsStream::kMostSealed;
  do {
    if (!send_records()) {
      if (errno == EAGAIN && taken != 0) break;
      return -1;
    }
    if (taken == size || taken >= kMostSealedAtOnce) break;
    const size_t sealed = tls_->seal({bytes + taken, size - taken});
    if (sealed == 0) {
      errno = EPIPE;
      return -1;
    }
    taken += sealed;
  } while (true);
  return static_cast<ssize_t>(taken);
}

void Transport::seal_end() {
  if (tls_ == nullptr) return;
  tls_->seal_end();
  (void)send_records();
}

bool Transport::wait_until_writable(int timeout_ms) {
  pollfd writable{socket_.get(), POLLOUT, 0};
  return ::poll(&writable, 1, timeout_ms) > 0;
}

bool Transport::end_output() { return ::shutdown(socket_.get(), SHUT_WR) == 0; }

bool Transport::is_local() const {
  int domain = AF_UNSPEC;
  socklen_t size = sizeof domain;
  return ::getsockopt(socket_.get(), SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 &&
         domain == AF_UNIX;
}

std::optional<uid_t> Transport::peer_uid() const {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (!is_local() ||
      ::getsockopt(socket_.get(), SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
    return std::nullopt;
  }
  return credentials.uid;
}

std::string Transport::remote_address() const {
  if (is_local()) return "a Unix socket";
  const PeerName name(socket_);
  return name.is_known ? std::string(name.host) + ":" + name.port : "an unknown address";
}

uint64_t Transport::host_number() const {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (::getpeername(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  if (address.ss_family == AF_INET) {
    return reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr;
  }
  if (address.ss_family != AF_INET6) return 0;
  const in6_addr& bytes = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  uint64_t number = 0;
  if (IN6_IS_ADDR_V4MAPPED(&bytes)) {
    std::memcpy(&number, &bytes.s6_addr[12], 4);
  } else {
    std::memcpy(&number, bytes.s6_addr, sizeof number);
  }
  return number;
}

std::string Transport::remote_host() const {
  const PeerName name(socket_);
  return name.is_known ? name.host : "";
}

}  // namespace hs::net
