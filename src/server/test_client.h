// A blocking client for tests. Every wait has a generous bound, so that a server that never answers
// fails a test instead of hanging it.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <string>
#include <string_view>

#include "net/file_descriptor.h"

namespace hs::server {

class TestClient {
 public:
  static TestClient tcp(uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return TestClient(AF_INET, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }
  static TestClient unix_socket(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    return TestClient(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }

  bool connected() const { return connected_; }
  int fd() const { return socket_.get(); }

  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t size = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (size <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(size));
    }
    return true;
  }
  void end_output() { ::shutdown(socket_.get(), SHUT_WR); }

  // The next line without its LF; "EOF" when the server has closed, "ERROR" when it reset the
  // connection or nothing came.
  std::string line() {
    for (;;) {
      const size_t end = received_.find('\n');
      if (end != std::string::npos) {
        std::string line = received_.substr(0, end);
        received_.erase(0, end + 1);
        return line;
      }
      char bytes[65536];
      const ssize_t size = ::recv(socket_.get(), bytes, sizeof bytes, 0);
      if (size == 0) return "EOF";
      if (size < 0) return "ERROR";
      received_.append(bytes, static_cast<size_t>(size));
    }
  }

  std::string ask(std::string_view request) { return send(request) ? line() : "ERROR"; }

 private:
  TestClient(int family, const sockaddr* address, socklen_t size)
      : socket_(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval bound{30, 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &bound, sizeof bound);
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &bound, sizeof bound);
    connected_ = ::connect(socket_.get(), address, size) == 0;
  }

  net::FileDescriptor socket_;
  bool connected_ = false;
  std::string received_;
};

}  // namespace hs::server
