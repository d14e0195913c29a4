// Listening sockets: from an address and a port as a user writes them to sockets that accept.
//
// Every failure is one sentence for the operator, without a full stop.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "net/file_descriptor.h"
#include "net/socket_rights.h"

namespace hs::net {

// A decimal port number (0 to 65535) or a service name, as a number. False: *error says why not.
bool resolve_port(const std::string& port, uint16_t* number, std::string* error);

struct ListenOptions {
  std::string address;  // IPv4 or IPv6 literal, or a name: all of its addresses; empty: every
                        // address of the machine
  uint16_t port = 0;    // 0: any free one
  std::string path;     // not empty: a Unix socket at this path; address and port do not count
  SocketRights rights;  // of the Unix socket's file
  bool only_loopback = false;  // refuse an address that other machines can reach
  // Bind although a socket of this process listens there for which share_port(true) was called.
  // Where that is needed, the system may let other sockets of this user, which ask for it by
  // SO_REUSEPORT, share the port for as long as it is in use.
  bool takes_over = false;
  uint32_t backlog = 1;  // the system may use less
  uint32_t sndbuf = 0;   // bytes, 0: the system's; of the accepted sockets
  uint32_t rcvbuf = 0;
};

struct ListenError {
  // kPlace: the port or the path; kReach: other machines could reach the address.
  enum class About : uint8_t { kPlace, kAddress, kGroup, kReach };
  About about = About::kPlace;
  std::string text;
};

class Listener {
 public:
  // Null: *error says why. A socket file that no process listens on is replaced.
  static std::unique_ptr<Listener> open(const ListenOptions& options, ListenError* error);
  ~Listener();  // closes, and removes the socket file if it is still the one that it made

  // Non-blocking, at least one. Sockets that they accept inherit TCP_NODELAY, SO_KEEPALIVE and the
  // buffer sizes.
  std::span<const FileDescriptor> sockets() const { return sockets_; }

  // Any thread: of the sockets that are accepted from here on; bytes, 0: as the system had them
  // before (without their growth, before Linux 5.14).
  void set_buffers(uint32_t sndbuf, uint32_t rcvbuf);

  // Any thread, likewise.
  void set_backlog(uint32_t backlog);
  // The rights of the socket's file; does nothing for a port. False: *error says why not. Another
  // file that has come into its place keeps its rights.
  bool set_rights(const SocketRights& rights, ListenError* error);
  // Whether another socket of this user may be bound to the same port.
  void share_port(bool share);
  // Whether other machines can reach one of the addresses.
  bool can_be_reached() const { return can_be_reached_; }

  uint16_t port() const { return port_; }              // 0: a Unix socket
  const std::string& place() const { return place_; }  // "port 9998 on 127.0.0.1", for messages

 private:
  Listener() = default;
  bool open_path(const ListenOptions& options, ListenError* error);
  bool open_addresses(const ListenOptions& options, ListenError* error);
  // Whether the file that it made is still at its path.
  bool has_own_file() const;

  std::vector<FileDescriptor> sockets_;
  uint16_t port_ = 0;
  bool can_be_reached_ = false;
  std::string place_;
  std::string path_;  // of the socket file that this listener made; empty: none
  struct stat file_ {};
};

}  // namespace hs::net
